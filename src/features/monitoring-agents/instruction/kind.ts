import { forTeam } from '../../../db/team-filter.ts';
import type { RoomCore } from '../../../room.ts';
import { defineRunKind, type Run, readingProfile, type LoadProfile } from '../../runs/index.ts';
import { type LoadTeamTools, sharedTools, type Tool } from '../../tools/index.ts';
import { instructionCheckWorkflowId } from '../contract.ts';
import { MonitoringSession } from '../entities.ts';
import type { InstructionCheckDeps } from './begin.ts';
import { finishInstructionCheck } from './finish.ts';
import { submitCheckResult } from './submit-check-result.ts';
import { INSTRUCTION_PROMPT } from './prompt.ts';

/** The workflow of the agent starts them, and cancels them. */
export const checkRuns = defineRunKind({
  kind: 'check',
  readScope: 'monitoring:read',
  workflowId: instructionCheckWorkflowId,
  profile: ({ runTools, teamTools }: RoomCore) => ({
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

/** Maximum tokens per answer. */
const MAX_TOKENS = 8_000;

/**
 * A check ends with `submit_check_result`.
 * @param tools replace the shared ones
 */
export const instructionProfile = (
  tools: readonly Tool[] = sharedTools,
  teamTools: LoadTeamTools = async () => ({ tools: [] }),
): LoadProfile =>
  readingProfile({ system: INSTRUCTION_PROMPT, finish: submitCheckResult, maxTokens: MAX_TOKENS }, tools, teamTools);
