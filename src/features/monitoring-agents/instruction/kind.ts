import { forTeam } from '../../../db/team-filter.ts';
import type { RoomCore } from '../../../room.ts';
import { defineRunKind, type Run } from '../../runs/index.ts';
import type { LoadTeamTools } from '../../tools/index.ts';
import { instructionCheckWorkflowId } from '../contract.ts';
import { MonitoringSession } from '../entities.ts';
import type { InstructionCheckDeps } from './begin.ts';
import { finishInstructionCheck } from './finish.ts';
import { instructionProfile } from './profile.ts';
import { submitCheckResult } from './submit-check-result.ts';

/** The workflow of the agent starts them, and cancels them. */
export const checkRuns = defineRunKind({
  kind: 'check',
  readScope: 'monitoring:read',
  workflowId: instructionCheckWorkflowId,
  profile: ({ runTools, teamTools }: RoomCore & { teamTools: LoadTeamTools }) => ({
    tools: [...runTools, submitCheckResult],
    load: instructionProfile(runTools, teamTools),
  }),
  async finish(deps: InstructionCheckDeps, { id: sessionId, teamId }: Run, ending) {
    const session = await forTeam(deps.orm.em, teamId).findOne(MonitoringSession, { id: sessionId });
    // Its rows go with those of its agent.
    if (!session) return;
    const { agentId, planVersion, checkId, trigger, missed, scheduledAt } = session;
    const run = { checkId, sessionId, trigger, missed, scheduledAt: scheduledAt.getTime() };
    await finishInstructionCheck(deps, { agentId, teamId, planVersion, run, ...ending });
  },
});
