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
import { confidenceAttribute, outcomeAttribute, serviceAttribute } from '../temporal/search-attributes.ts';
import { BOOKKEEPING } from './bookkeeping.ts';
import { createAgentRun, endingOf, type AgentRun } from './runs.ts';

const { beginInvestigation, finishInvestigation } = wf.proxyActivities<InvestigationActivities>(BOOKKEEPING);

/** Investigates one question: open the case, the agent loop, and a recorded end whatever happens. */
export async function investigation(input: InvestigationWorkflowInput): Promise<InvestigationWorkflowResult> {
  const { investigationId, teamId, budget, url, carried } = input;
  const subject = { investigationId, teamId };
  const begun = await wf.CancellationScope.nonCancellable(() =>
    beginInvestigation.executeWithOptions({ summary: 'Open the case' }, [subject]),
  );

  const run = createAgentRun({
    identity: { kind: 'investigation', conversationId: investigationId, teamId },
    budget,
    title: begun.title,
    url,
    carried,
    continueAsNew: (next) => wf.continueAsNew<typeof investigation>({ ...input, carried: next }),
  });
  const { state } = run;
  if (begun.cancelled) state.cancel ??= {};
  const result = await endAndRecord(run, subject);
  state.phase = 'finished';
  const { status, title, service, confidence } = result;
  const sureness = confidence === undefined ? '' : `, confidence ${Math.round(confidence * 100)} %`;
  state.know(service === undefined ? title : `${title} (service at fault: ${service}${sureness})`);
  wf.setCurrentDetails(state.details(title, url));
  wf.upsertSearchAttributes([
    { key: outcomeAttribute, value: status },
    ...(service ? [{ key: serviceAttribute, value: service }] : []),
    ...(confidence === undefined ? [] : [{ key: confidenceAttribute, value: confidence }]),
  ]);
  if (status === 'failed') throw wf.ApplicationFailure.nonRetryable(title, 'InvestigationFailed');
  return { status, service, confidence, url };
}

/** Runs to the end and records it; a message that arrived just before the record sends the run back to work. */
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

/** A run that ended on its own continues if there is an unread message. */
function ending(outcome: RunOutcome): Omit<FinishInvestigationInput, 'investigationId' | 'teamId'> {
  const end = endingOf(outcome);
  if (outcome.cancelled) return end;
  return { ...end, unlessUnread: end.outcome === 'completed' && end.limit === undefined };
}
