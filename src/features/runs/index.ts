import type { Room, RoomCore } from '../../room.ts';
import { sweepApprovals, type ApprovalDeps } from './approvals.ts';
import { createWorkflowControl } from './control.ts';
import { Approval, Run } from './entities.ts';
import { approvalEndpoints } from './routes.ts';

export { requestApproval } from './approvals.ts';
export { askOnce } from './auxiliary-call.ts';
export { compactTranscript } from './compact.ts';
export * from './contract.ts';
export { newRun } from './entities.ts';
export { Approval, Run };
export type { Attempt, RunDeps } from './deps.ts';
export { RunClosed } from './errors.ts';
export { conversationStream, FINAL_EVENT_TYPES, messageEvent, runStream, stateEvent } from './events.ts';
export { followRun } from './follow.ts';
export { createWorkflowControl };
export type { WorkflowState } from './control.ts';
export { defineRunKind, type KindProfile, type RunKindDefinition } from './kind.ts';
export { createRunLauncher, type RunLauncher } from './launch.ts';
export { takeModelTurn } from './model-turn.ts';
export { ACT_SCOPE, allowedTools, type LoadProfile, type RunProfile, type RunProfiles } from './profiles.ts';
export { readingProfile } from './reading-profile.ts';
export { repairEach } from './repair.ts';
export { createProgressReader, type ProgressReader } from './progress-reader.ts';
export { SpokenDigest, spokenDigest, spokenParts, type SpokenPart } from './spoken.ts';
export {
  CANCELLED_BY_USER,
  cancelRun,
  commitOnce,
  deliverCancel,
  launchRun,
  purgeRuns,
  requestDigest,
  type RunServiceDeps,
} from './service.ts';
export { sweepRuns, type SweepOptions } from './sweeper.ts';
export { makeToolCall } from './tool-call.ts';

export const runsRoom = {
  name: 'runs',
  endpoints: approvalEndpoints,
  entities: [Run, Approval],
  build({ config: { timeouts }, client, orm, clock, log }: RoomCore): { approvals: ApprovalDeps } {
    return { approvals: { orm, clock, log, control: createWorkflowControl(client, timeouts.temporalMs) } };
  },
  sweeps: [({ approvals }: { approvals: ApprovalDeps }) => sweepApprovals(approvals)],
} satisfies Room;
