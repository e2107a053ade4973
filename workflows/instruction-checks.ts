import * as wf from '@temporalio/workflow';
import type { InstructionCheckActivities } from '../activities/monitoring-agents.ts';
import {
  checkEndedSignal,
  monitoringAgentWorkflowId,
  type CheckRunResult,
  type FinishInstructionCheckInput,
  type InstructionCheckInput,
} from '../src/features/monitoring-agents/contract.ts';
import { outcomeAttribute } from '../temporal/search-attributes.ts';
import { BOOKKEEPING } from './bookkeeping.ts';
import { createAgentRun, endingOf } from './runs.ts';

const { beginInstructionCheck, finishInstructionCheck } = wf.proxyActivities<InstructionCheckActivities>(BOOKKEEPING);

/**
 * Carries out one check of a monitoring agent through the agent loop: a session, the loop, a recorded end whatever
 * happens, and a signal to the agent. Cancellation means that nobody wants it any more.
 */
export async function instructionCheck(input: InstructionCheckInput): Promise<Pick<CheckRunResult, 'status'>> {
  const { agentId, teamId, planVersion, run } = input;
  const about = { agentId, teamId, planVersion, run };
  const begun = input.budget
    ? { budget: input.budget }
    : await wf.CancellationScope.nonCancellable(() =>
        beginInstructionCheck.executeWithOptions({ summary: 'Open the session' }, [about]),
      );
  const result = begun.ended ?? (await carryOut(input, begun.budget));
  await wf.CancellationScope.nonCancellable(() => report(agentId, result));
  wf.upsertSearchAttributes([{ key: outcomeAttribute, value: result.status }]);
  if (result.status === 'failed') throw wf.ApplicationFailure.nonRetryable(result.digest, 'CheckFailed');
  return { status: result.status };
}

async function carryOut(
  { agentId, teamId, planVersion, run, ...input }: InstructionCheckInput,
  budget: NonNullable<InstructionCheckInput['budget']>,
): Promise<CheckRunResult> {
  const about = { agentId, teamId, planVersion, run };
  const { title, carried } = input;
  const loop = createAgentRun({
    identity: { kind: 'check', conversationId: run.sessionId, teamId },
    budget,
    title,
    carried,
    continueAsNew: (next) => wf.continueAsNew<typeof instructionCheck>({ ...about, title, carried: next, budget }),
  });
  const finish: FinishInstructionCheckInput = { ...about, ...endingOf(await loop.untilEnded()) };
  loop.state.phase = 'recording';
  const result = await wf.CancellationScope.nonCancellable(() =>
    finishInstructionCheck.executeWithOptions({ summary: `Record the result: ${finish.outcome}` }, [finish]),
  );
  loop.state.phase = 'finished';
  loop.state.know(result.digest);
  wf.setCurrentDetails(loop.state.details(title));
  return result;
}

/** Signals the agent's workflow. One that is gone need not know: what was found is stored. */
async function report(agentId: string, result: CheckRunResult): Promise<void> {
  try {
    await wf.getExternalWorkflowHandle(monitoringAgentWorkflowId(agentId)).signal(checkEndedSignal, result);
  } catch (error) {
    wf.log.info('the agent of a check is gone', { agentId, error });
  }
}
