import { forTeam } from '../../db/team-filter.ts';
import { askOnce, type Attempt, type RunDeps } from '../runs/index.ts';
import { untilReachable } from '../../db/reach.ts';
import type { ExtractionRef } from './contract.ts';
import { CitationExtraction } from './entities.ts';
import { ANSWER_TOKENS, chosenExcerpts, questionFor, SYSTEM } from './prompt.ts';

export type ChooseExcerptsDeps = Pick<RunDeps, 'orm' | 'model'>;

/**
 * Lets the model choose from an extraction's candidates and stores the choice. The model is asked once: a paid answer
 * is stored with its tokens and cost, and a retry reuses it.
 * @returns how many excerpts were chosen; undefined if the extraction is gone or the answer is unusable
 * @throws {ModelError} if the model gave no complete answer
 */
export async function chooseExcerpts(
  deps: ChooseExcerptsDeps,
  { extractionId, teamId }: ExtractionRef,
  attempt: Pick<Attempt, 'signal'>,
): Promise<number | undefined> {
  const find = (): Promise<CitationExtraction | null> =>
    forTeam(deps.orm.em, teamId).findOne(CitationExtraction, { id: extractionId });
  const extraction = await untilReachable(find, attempt.signal);
  if (!extraction) return undefined;
  if (extraction.excerpts) return extraction.excerpts.length;
  const request = { system: SYSTEM, text: questionFor(extraction), maxTokens: ANSWER_TOKENS };
  const question = { teamId, conversationId: extractionId, purpose: 'excerpts', key: 'choice', request };
  const { text } = await askOnce(deps, question, attempt);
  const excerpts = chosenExcerpts(text, extraction.candidates);
  if (!excerpts) return undefined;
  const store = (): Promise<number> =>
    forTeam(deps.orm.em, teamId).nativeUpdate(CitationExtraction, { id: extractionId }, { excerpts });
  await untilReachable(store, attempt.signal);
  return excerpts.length;
}
