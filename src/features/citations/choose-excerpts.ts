import { forTeam } from '../../db/team-filter.ts';
import { askOnce, untilReachable, type Attempt, type RunDeps } from '../runs/index.ts';
import type { ExtractionRef } from './contract.ts';
import { CitationExtraction } from './entities.ts';
import { ANSWER_TOKENS, chosenExcerpts, questionFor, SYSTEM } from './prompt.ts';

export type ChooseExcerptsDeps = Pick<RunDeps, 'orm' | 'model'>;

/**
 * Lets the model choose from the candidates of an extraction and stores its choice. The model is asked once: an answer
 * that was paid for is stored with its tokens and cost, and a retry takes it from there.
 * @returns how many excerpts were chosen; undefined when the extraction is gone or the answer cannot be used
 * @throws {ModelError} when the model gave no complete answer
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
