import * as wf from '@temporalio/workflow';
import type { InvestigationActivities } from '../activities/investigations.ts';
import type {
  FinishInvestigationInput,
  InvestigationWorkflowInput,
  InvestigationWorkflowResult,
} from '../src/features/investigations/contract.ts';
import type { RunOutcome } from '../src/features/runs/contract.ts';
import { outcomeAttribute, serviceAttribute } from '../temporal/search-attributes.ts';
import { runAgent } from './runs.ts';

/** Bookkeeping costs nothing and must not be lost: it is tried for a day, however long the database is away. */
const { beginInvestigation, finishInvestigation } = wf.proxyActivities<InvestigationActivities>({
  startToCloseTimeout: '60s',
  scheduleToCloseTimeout: '24h',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '10s' },
});

/** Investigates one question: begin, the agent loop, and a recorded end whatever happens. */
export async function investigation(input: InvestigationWorkflowInput): Promise<InvestigationWorkflowResult> {
  const { investigationId, teamId, budget, carried } = input;
  const subject = { investigationId, teamId };
  const begun = await wf.CancellationScope.nonCancellable(() =>
    beginInvestigation.executeWithOptions({ summary: 'Open the case' }, [subject]),
  );

  const { outcome, state } = await runAgent({
    identity: { kind: 'investigation', conversationId: investigationId, teamId },
    budget,
    title: begun.title,
    carried,
    continueAsNew: (next) => wf.continueAsNew<typeof investigation>({ ...input, carried: next }),
  });

  state.phase = 'recording';
  const finish: FinishInvestigationInput = { ...subject, ...ending(outcome) };
  const result = await wf.CancellationScope.nonCancellable(() =>
    finishInvestigation.executeWithOptions({ summary: `Record the result: ${finish.outcome}` }, [finish]),
  );
  state.phase = 'finished';
  state.know(`**${result.title}**`);
  wf.setCurrentDetails(state.details(result.title));
  wf.upsertSearchAttributes([
    { key: outcomeAttribute, value: result.status },
    ...(result.service ? [{ key: serviceAttribute, value: result.service }] : []),
  ]);
  if (result.status === 'failed') throw wf.ApplicationFailure.nonRetryable(result.title, 'InvestigationFailed');
  return { status: result.status };
}

function ending(outcome: RunOutcome): Pick<FinishInvestigationInput, 'outcome' | 'limit' | 'explanation'> {
  const { limit, explanation } = outcome;
  if (outcome.cancelled) return { outcome: 'cancelled', explanation };
  return { outcome: limit === 'model_failure' ? 'failed' : 'completed', limit, explanation };
}
