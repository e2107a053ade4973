import type { Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { TASK_QUEUE } from '../../../temporal/queues.ts';
import { kindAttribute, teamAttribute } from '../../../temporal/search-attributes.ts';
import { EXTRACT_CITATION_WORKFLOW, extractCitationWorkflowId, type ExtractionRef } from './contract.ts';

/** How long a caller waits for Temporal to accept the start. */
const START_MS = 5_000;
/** Timeout of the whole workflow: nobody waits longer, so without a worker runs must not pile up. */
const WORKFLOW_SECONDS = 60;

export interface ExcerptChooser {
  /**
   * Starts the workflow of a stored extraction and waits for its end.
   * @param signal ends the wait and cancels the workflow
   * @throws if it failed, was not accepted or did not end in time
   */
  choose(extraction: ExtractionRef, signal: AbortSignal): Promise<void>;
}

/**
 * @param taskQueue another queue than the product's own, for tests and benches
 * @param startMs how long Temporal may take to take the start, ms; 5,000 unless given
 */
export function createExcerptChooser(client: Client, taskQueue = TASK_QUEUE, startMs = START_MS): ExcerptChooser {
  return {
    async choose({ extractionId, teamId }, signal) {
      const ref: ExtractionRef = { extractionId, teamId };
      const handle = await client.withDeadline(Date.now() + startMs, () =>
        client.workflow.start(EXTRACT_CITATION_WORKFLOW, {
          taskQueue,
          workflowId: extractCitationWorkflowId(extractionId),
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          workflowExecutionTimeout: WORKFLOW_SECONDS * 1_000,
          args: [ref],
          staticSummary: 'Choose excerpts for a citation',
          typedSearchAttributes: new TypedSearchAttributes([
            { key: teamAttribute, value: teamId },
            { key: kindAttribute, value: 'citation' },
          ]),
        }),
      );
      try {
        await client.withAbortSignal(signal, () => handle.result());
      } catch (error) {
        // An answer nobody waits for need not be paid for.
        if (signal.aborted) void handle.cancel().catch(() => undefined);
        throw error;
      }
    },
  };
}
