import type { Room, RoomCore } from '../../room.ts';
import { sweepApprovals, type ApprovalDeps } from './approvals.ts';
import { configuration } from './configuration.ts';
import { createWorkflowControl } from './launch.ts';
import { Approval, Run } from './entities.ts';
import { approvalEndpoints } from './routes.ts';

export { requestApproval } from './approvals.ts';
export { askOnce, compactTranscript } from './auxiliary-call.ts';
export type { RunSettings } from './configuration.ts';
export * from './contract.ts';
export { newRun } from './entities.ts';
export { Approval, Run };
export {
  type Attempt,
  type RunDeps,
  defineRunKind,
  type KindProfile,
  type RunKindDefinition,
  ACT_SCOPE,
  allowedTools,
  type LoadProfile,
  type RunProfile,
  type RunProfiles,
  readingProfile,
} from './kind.ts';
export {
  RunClosed,
  repairEach,
  CANCELLED_BY_USER,
  cancelRun,
  commitOnce,
  deliverCancel,
  launchRun,
  purgeRuns,
  requestDigest,
  type RunServiceDeps,
  sweepRuns,
  type SweepOptions,
} from './service.ts';
export { conversationStream, FINAL_EVENT_TYPES, messageEvent, runStream, stateEvent, followRun } from './events.ts';
export { createWorkflowControl };
export {
  type WorkflowState,
  createRunLauncher,
  type RunLauncher,
  createProgressReader,
  type ProgressReader,
} from './launch.ts';
export { takeModelTurn, SpokenDigest, spokenDigest, spokenParts, type SpokenPart } from './model-turn.ts';
export { makeToolCall } from './tool-call.ts';

export const runsRoom = {
  name: 'runs',
  endpoints: approvalEndpoints,
  entities: [Run, Approval],
  configuration,
  build({ config: { timeouts }, client, orm, clock, log }: RoomCore): { approvals: ApprovalDeps } {
    return { approvals: { orm, clock, log, control: createWorkflowControl(client, timeouts.temporalMs) } };
  },
  sweeps: [({ approvals }: { approvals: ApprovalDeps }) => sweepApprovals(approvals)],
} satisfies Room;
