import * as wf from '@temporalio/workflow';
import type { PullRequestActivities } from '../activities/pull-requests.ts';
import type { PullRequestStep, PullRequestWorkflowInput } from '../src/features/pull-requests/contract.ts';
import { outcomeAttribute } from '../temporal/search-attributes.ts';
import { BOOKKEEPING } from './bookkeeping.ts';
import { rootMessage } from './runs.ts';
import { timing } from './timing.ts';

const { giveUp } = wf.proxyActivities<Pick<PullRequestActivities, 'giveUp'>>(BOOKKEEPING);

/**
 * Opens a pull request: branch, then request. Both find what an earlier attempt has made, so they are repeated for as
 * long as the host is away, with the pauses that it asks for.
 */
export async function pullRequest({ outageSeconds, ...ref }: PullRequestWorkflowInput): Promise<PullRequestStep> {
  const { pushBranch, createRequest } = wf.proxyActivities<Omit<PullRequestActivities, 'giveUp'>>({
    // A first fetch of a large repository takes its time.
    startToCloseTimeout: '1 hour',
    scheduleToCloseTimeout: `${outageSeconds} s`,
    heartbeatTimeout: timing.heartbeatTimeout,
    retry: { initialInterval: timing.firstRetry, maximumInterval: '5 minutes' },
  });
  let step: PullRequestStep;
  try {
    step = await pushBranch.executeWithOptions({ summary: 'Bring the change to a branch of its own' }, [ref]);
    if (step.status === 'pending')
      step = await createRequest.executeWithOptions({ summary: 'Open the pull request' }, [ref]);
  } catch (error) {
    if (wf.CancellationScope.current().consideredCancelled) throw error;
    step = await giveUp.executeWithOptions({ summary: 'Record why it could not be opened' }, [
      { ...ref, why: rootMessage(error) },
    ]);
  }
  wf.upsertSearchAttributes([{ key: outcomeAttribute, value: step.status }]);
  return step;
}
