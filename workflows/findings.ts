/**
 * A finding: notifies people, has it investigated, and ends when it is resolved. Its row is read again after every
 * step, so a workflow that was lost or continued as new notifies nobody twice.
 */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import * as wf from '@temporalio/workflow';
import type { FindingActivities } from '../activities/findings.ts';
import { INVESTIGATION_WORKFLOW, investigationWorkflowId } from '../src/features/investigations/contract.ts';
import { findingChangedSignal, type FindingRef } from '../src/features/monitoring-agents/contract.ts';
import type {
  FindingView,
  FindingWorkflowInput,
  FindingWorkflowResult,
  InvestigationStart,
  Notice,
} from '../src/features/monitoring-agents/findings/contract.ts';
import { kindAttribute, outcomeAttribute, serviceAttribute, teamAttribute } from '../temporal/search-attributes.ts';
import { BOOKKEEPING } from './bookkeeping.ts';
import { FindingState } from './findings.state.ts';
import type { investigation } from './investigations.ts';
import { rootMessage } from './runs.ts';
import { timing } from './timing.ts';

const { readFinding, settleFinding, leaveUnjudged, openInvestigation, readInvestigation } =
  wf.proxyActivities<FindingActivities>(BOOKKEEPING);

/** Better to notify people without a judgement than late: few attempts. */
const { judgeFinding } = wf.proxyActivities<Pick<FindingActivities, 'judgeFinding'>>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: timing.heartbeatTimeout,
  retry: { initialInterval: timing.firstRetry, maximumAttempts: 4 },
});

/**
 * Retry an unavailable receiver for a day; the activity decides when to give up. An attempt may wait for the end of an
 * earlier one that was cut off.
 */
const { notify } = wf.proxyActivities<Pick<FindingActivities, 'notify'>>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: timing.heartbeatTimeout,
  retry: { initialInterval: timing.firstRetry, maximumInterval: '10 minutes' },
});

/** How often to look at an investigation that somebody else started, ms. */
const FIRST_LOOK_MS = 1_000;
const LONGEST_LOOK_MS = 30_000;

export async function finding(input: FindingWorkflowInput): Promise<FindingWorkflowResult> {
  const { findingId, teamId, lookAgainSeconds, readsPerHistory } = input;
  const ref: FindingRef = { findingId, teamId };
  const state = new FindingState();
  wf.setHandler(findingChangedSignal, () => {
    state.hasNews = true;
  });
  for (;;) {
    state.beginReading();
    const view = await readFinding.executeWithOptions({ summary: 'Read the finding' }, [ref]);
    if (view.gone) return ended('gone');
    state.view = view;
    wf.setCurrentDetails(state.details());
    if (await prepare(ref, state, view)) continue;
    begin(ref, state, view);
    if (state.isOver(view))
      return ended(view.status, view.notWorthIt === undefined ? view.status : 'not_worth_telling', view.service);
    const waited = state.waitMs(view, Date.now(), lookAgainSeconds);
    const isNews = await wf.condition(() => state.hasNews, waited);
    if (!isNews && view.settlesAt !== null && view.settlesAt <= Date.now())
      await settleFinding.executeWithOptions({ summary: 'See whether it is over for good' }, [
        { ...ref, at: Date.now() },
      ]);
    // Anything that arrived meanwhile is in the row, which the next run reads first.
    const { continueAsNewSuggested } = wf.workflowInfo();
    if (state.isTimeToContinue(continueAsNewSuggested, readsPerHistory)) await wf.continueAsNew<typeof finding>(input);
  }
}

/** What must be known before anyone is notified. @returns whether it changed the row */
async function prepare(ref: FindingRef, state: FindingState, view: FindingView): Promise<boolean> {
  if (view.toJudge) {
    await judge(ref, state);
    return true;
  }
  if (!view.toInvestigate) return false;
  const opened = await openInvestigation.executeWithOptions({ summary: 'Open an investigation' }, [ref]);
  return opened.investigationId !== undefined;
}

/** Starts what is due; notifications and the investigation run in parallel. */
function begin(ref: FindingRef, state: FindingState, { notice, investigation: opened }: FindingView): void {
  if (notice && !state.isNotifying) {
    state.isNotifying = true;
    const ended = (): void => {
      state.isNotifying = false;
      state.hasNews = true;
    };
    void sendNotice(ref, state, notice).finally(ended);
  }
  if (opened?.status === 'processing' && state.following === undefined) {
    state.following = opened.id;
    const followed = (): void => {
      state.following = undefined;
      state.hasNews = true;
    };
    void follow(ref, state, opened.id).catch(ignoreCancellation).finally(followed);
  }
}

async function judge(ref: FindingRef, state: FindingState): Promise<void> {
  try {
    await judgeFinding.executeWithOptions({ summary: 'Judge whether it is worth telling' }, [ref]);
  } catch (error) {
    ignoreFailure(error);
    const why = `The model could not be asked: ${rootMessage(error)}`;
    state.know(why);
    await leaveUnjudged.executeWithOptions({ summary: 'Tell it unjudged' }, [{ ...ref, why }]);
  }
}

/** A failure is recorded in the row, for people; everything else is done regardless. */
async function sendNotice(ref: FindingRef, state: FindingState, notice: Notice): Promise<void> {
  try {
    const { status, receipt } = await notify.executeWithOptions({ summary: `Notify people: ${notice.event}` }, [
      { ...ref, ...notice },
    ]);
    state.know(`${notice.event} ${status}${receipt === undefined ? '' : `: ${receipt}`}`);
  } catch (error) {
    state.know(`${notice.event} not sent: ${rootMessage(error)}`);
  }
}

/**
 * Waits for the end of an investigation, starting it unless somebody was faster. It outlives the finding's workflow.
 */
async function follow(ref: FindingRef, state: FindingState, investigationId: string): Promise<void> {
  const read = () =>
    readInvestigation.executeWithOptions({ summary: 'Look at the investigation' }, [{ ...ref, investigationId }]);
  let { status, start } = await read();
  if (start) await startAndWait(ref, state, investigationId, start);
  for (let wait = FIRST_LOOK_MS; status === 'processing'; wait = Math.min(wait * 2, LONGEST_LOOK_MS)) {
    ({ status, start } = await read());
    if (status === 'processing') await wf.sleep(wait);
  }
  state.know(`the investigation is ${status}`);
}

async function startAndWait(
  { teamId }: FindingRef,
  state: FindingState,
  investigationId: string,
  { input, summary, details }: InvestigationStart,
): Promise<void> {
  try {
    const child = await wf.startChild<typeof investigation>(INVESTIGATION_WORKFLOW, {
      workflowId: investigationWorkflowId(investigationId),
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      parentClosePolicy: 'ABANDON',
      cancellationType: 'ABANDON',
      args: [input],
      staticSummary: summary,
      staticDetails: details,
      typedSearchAttributes: [
        { key: teamAttribute, value: teamId },
        { key: kindAttribute, value: 'investigation' },
      ],
    });
    state.know('an investigation was started');
    await child.result();
  } catch (error) {
    // The sweeper started it, so poll; its row says how it ended.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) ignoreFailure(error);
  }
}

/** @throws what says that this workflow was cancelled, rather than an activity or a child */
function ignoreFailure(error: unknown): void {
  if (wf.CancellationScope.current().consideredCancelled) throw error;
}

/** Cancellation ends the workflow and everything that runs beside it. */
function ignoreCancellation(error: unknown): void {
  if (!wf.CancellationScope.current().consideredCancelled) throw error;
}

function ended(
  status: FindingWorkflowResult['status'],
  outcome: string = status,
  service?: string,
): FindingWorkflowResult {
  wf.upsertSearchAttributes([
    { key: outcomeAttribute, value: outcome },
    ...(service === undefined ? [] : [{ key: serviceAttribute, value: service }]),
  ]);
  return { status };
}
