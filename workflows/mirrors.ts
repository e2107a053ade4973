/** A repository's mirror: fetches until nothing newer is wanted, then ends. What is wanted is in the row. */
import * as wf from '@temporalio/workflow';
import type { MirrorActivities } from '../activities/mirrors.ts';
import {
  mirrorWantedSignal,
  type MirrorWorkflowInput,
  type MirrorWorkflowResult,
} from '../src/features/code-hosts/contract.ts';
import { outcomeAttribute } from '../temporal/search-attributes.ts';
import { timing } from './timing.ts';

/**
 * A host may be away for hours: retry until it answers or the repository is disconnected. The activity decides what is
 * final. An attempt may fetch for half an hour and collect for as long.
 */
const { syncMirror } = wf.proxyActivities<MirrorActivities>({
  startToCloseTimeout: '75 minutes',
  heartbeatTimeout: timing.heartbeatTimeout,
  retry: { initialInterval: timing.firstRetry, maximumInterval: '2 minutes' },
});

export async function mirror(input: MirrorWorkflowInput): Promise<MirrorWorkflowResult> {
  const { repositoryId, teamId, longestPauseMs, fetchesPerHistory = Infinity } = input;
  let { pauseMs } = input;
  let isWanted = true;
  wf.setHandler(mirrorWantedSignal, () => {
    isWanted = true;
  });
  for (let fetches = 1; ; fetches++) {
    // Whatever is pushed meanwhile is fetched together.
    await wf.sleep(pauseMs);
    isWanted = false;
    const { status, again, note } = await syncMirror.executeWithOptions({ summary: 'Fetch' }, [
      { repositoryId, teamId },
    ]);
    wf.setCurrentDetails(`${status}: ${note}`);
    if (status === 'gone' || !(again || isWanted)) {
      wf.upsertSearchAttributes([{ key: outcomeAttribute, value: status }]);
      return { status };
    }
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    if (fetches >= fetchesPerHistory || wf.workflowInfo().continueAsNewSuggested)
      await wf.continueAsNew<typeof mirror>({ ...input, pauseMs });
  }
}
