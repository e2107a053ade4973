import { chooseExcerpts, type ChooseExcerptsDeps } from '../src/features/citations/index.ts';
import type { ExtractionRef } from '../src/features/citations/contract.ts';
import { askingModel } from './runs.ts';

export interface CitationActivities {
  chooseExcerpts(extraction: ExtractionRef): Promise<{ chosen?: number }>;
}

/** Has a model choose excerpts, in one call. */
export function createCitationActivities(deps: ChooseExcerptsDeps): CitationActivities {
  return {
    chooseExcerpts: async (extraction) => ({
      chosen: await askingModel((attempt) => chooseExcerpts(deps, extraction, attempt)),
    }),
  };
}
