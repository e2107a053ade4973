/** What the API, the workflow and the activity of an excerpt extraction share. No zod, no database: workflows import this. */

/** The workflow type, as exported from `workflows/index.ts`. */
export const EXTRACT_CITATION_WORKFLOW = 'extractCitation';

/** The workflow id derives from the row's id: a repeated start is harmless. */
export const extractCitationWorkflowId = (extractionId: string): string => `citation-extraction-${extractionId}`;

/** Claim and candidates stay in the row; this is all that travels. */
export interface ExtractionRef {
  extractionId: string;
  teamId: string;
}
