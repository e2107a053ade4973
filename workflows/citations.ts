import * as wf from '@temporalio/workflow';
import type { CitationActivities } from '../activities/citations.ts';
import type { ExtractionRef } from '../src/features/citations/contract.ts';
import { timing } from './timing.ts';

/**
 * A caller waits for half a minute at most, and there is an answer without a model too: one more attempt if a worker is
 * lost or the model is briefly busy, and none once the caller has gone.
 */
const { chooseExcerpts } = wf.proxyActivities<CitationActivities>({
  startToCloseTimeout: '25s',
  scheduleToCloseTimeout: '28s',
  heartbeatTimeout: timing.heartbeatTimeout,
  retry: { initialInterval: timing.firstRetry, maximumInterval: '5s', maximumAttempts: 2 },
  cancellationType: wf.ActivityCancellationType.TRY_CANCEL,
});

/** Has a model choose excerpts for a citation; the choice is stored in the extraction's row. */
export async function extractCitation(extraction: ExtractionRef): Promise<{ chosen?: number }> {
  return chooseExcerpts.executeWithOptions({ summary: 'Choose excerpts' }, [extraction]);
}
