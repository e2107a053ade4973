import * as wf from '@temporalio/workflow';
import type { CitationActivities } from '../activities/citations.ts';
import type { ExtractionRef } from '../src/features/citations/contract.ts';

/**
 * Somebody waits, for half a minute at most, and without a model there is an answer as well: one more attempt when a
 * worker is lost or the model is busy for a moment, and none after the caller has gone.
 */
const { chooseExcerpts } = wf.proxyActivities<CitationActivities>({
  startToCloseTimeout: '25s',
  scheduleToCloseTimeout: '28s',
  heartbeatTimeout: '12s',
  retry: { initialInterval: '500ms', maximumInterval: '5s', maximumAttempts: 2 },
  cancellationType: wf.ActivityCancellationType.TRY_CANCEL,
});

/** Has a model choose excerpts for a citation; the choice is in the extraction's row. */
export async function extractCitation(extraction: ExtractionRef): Promise<{ chosen?: number }> {
  return chooseExcerpts.executeWithOptions({ summary: 'Choose excerpts' }, [extraction]);
}
