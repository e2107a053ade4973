import * as wf from '@temporalio/workflow';
import type { InvestigationActivities } from '../activities/investigations.ts';
import type {
  BeginInvestigationInput,
  FinishInvestigationInput,
  FinishInvestigationResult,
  InvestigationWorkflowInput,
  InvestigationWorkflowResult,
} from '../src/features/investigations/contract.ts';
import type { RunOutcome } from '../src/features/runs/contract.ts';
import { outcomeAttribute, serviceAttribute } from '../temporal/search-attributes.ts';
import { createAgentRun, type AgentRun } from './runs.ts';

/** Bookkeeping costs nothing and must not be lost: it is tried until it succeeds, however long database or workers are away. */
const { beginInvestigation, finishInvestigation } = wf.proxyActivities<InvestigationActivities>({
  startToCloseTimeout: '60s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '10s' },
});

/** Investigates one question: begin, the agent loop, and a recorded end whatever happens. */
export async function investigation(input: InvestigationWorkflowInput): Promise<InvestigationWorkflowResult> {
  const { investigationId, teamId, budget, carried } = input;
  const subject = { investigationId, teamId };
  const begun = await wf.CancellationScope.nonCancellable(() =>
    beginInvestigation.executeWithOptions({ summary: 'Open the case' }, [subject]),
  );

  const run = createAgentRun({
    identity: { kind: 'investigation', conversationId: investigationId, teamId },
    budget,
    title: begun.title,
    carried,
    continueAsNew: (next) => wf.continueAsNew<typeof investigation>({ ...input, carried: next }),
  });
  const { state } = run;
  if (begun.cancelled) state.cancel ??= {};
  const result = await endAndRecord(run, subject);
  state.phase = 'finished';
  state.know(result.title);
  wf.setCurrentDetails(state.details(result.title));
  wf.upsertSearchAttributes([
    { key: outcomeAttribute, value: result.status },
    ...(result.service ? [{ key: serviceAttribute, value: result.service }] : []),
  ]);
  if (result.status === 'failed') throw wf.ApplicationFailure.nonRetryable(result.title, 'InvestigationFailed');
  return { status: result.status };
}

/** Runs to the end and records it; a message that came just before the record sends the run back to work. */
async function endAndRecord(run: AgentRun, subject: BeginInvestigationInput): Promise<FinishInvestigationResult> {
  for (;;) {
    const finish: FinishInvestigationInput = { ...subject, ...ending(await run.untilEnded()) };
    run.state.phase = 'recording';
    const result = await wf.CancellationScope.nonCancellable(() =>
      finishInvestigation.executeWithOptions({ summary: `Record the result: ${finish.outcome}` }, [finish]),
    );
    if (result.status !== 'processing') return result;
    run.state.messageArrived();
  }
}

function ending({
  limit,
  explanation,
  cancelled,
}: RunOutcome): Omit<FinishInvestigationInput, 'investigationId' | 'teamId'> {
  if (cancelled) return { outcome: 'cancelled', explanation };
  const outcome = limit === 'model_failure' ? 'failed' : 'completed';
  return { outcome, limit, explanation, unlessUnread: outcome === 'completed' && limit === undefined };
}
