/**
 * Shared by the API, the workflow and the activity of an excerpt extraction. Workflows import it, so no zod and no
 * database.
 */

/** The workflow type, as exported from `workflows/index.ts`. */
export const EXTRACT_CITATION_WORKFLOW = 'extractCitation';

/** Derived from the row's id, so a repeated start is harmless. */
export const extractCitationWorkflowId = (extractionId: string): string => `citation-extraction-${extractionId}`;

/** Claim and candidates stay in the row; only this travels. */
export interface ExtractionRef {
  extractionId: string;
  teamId: string;
}
