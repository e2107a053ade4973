import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '../../../db/orm.ts';
import { DependencyDown } from '../../../http/errors.ts';
import { citedNumbers, type ExcerptMatcher, type ExcerptQuery } from '../../citations/index.ts';
import { isCitable } from '../../tools/index.ts';
import { evidenceReader } from '../../transcripts/index.ts';
import type { ChatCitation } from '../entities.ts';

/** How many citations of one answer are checked. */
const MAX_CITATIONS = 60;
/** Per result; what an answer quotes is near its start, or was read page by page as evidence of its own. */
const SEARCHED_CHARACTERS = 1_000_000;
const MAX_EXCERPTS = 3;
/** For all citations of an answer together: people wait for its end. */
const SEARCH_MS = 45_000;
const BUSY_MS = 250;
/** A larger number in brackets is something else; evidence numbers are 32-bit integers. */
const LARGEST_NUMBER = 2_147_483_647;

/** What each number in an answer points to, with verbatim excerpts of the evidence that support the claim. */
export async function citationsOf(
  matcher: ExcerptMatcher,
  em: EntityManager,
  { teamId, chatId }: { teamId: string; chatId: string },
  text: string,
): Promise<ChatCitation[]> {
  const evidence = evidenceReader(em, chatId);
  const deadline = AbortSignal.timeout(SEARCH_MS);
  const citations: ChatCitation[] = [];
  for (const n of citedNumbers(text)
    .filter((number) => number <= LARGEST_NUMBER)
    .slice(0, MAX_CITATIONS)) {
    const stored = await evidence.read(n);
    if (!stored || !isCitable(stored.tool)) {
      citations.push({ n, excerpts: [] });
      continue;
    }
    const { toolCallId, tool, sha256, content } = stored;
    const query = { content: content.slice(0, SEARCHED_CHARACTERS), citationId: n, text, most: MAX_EXCERPTS };
    citations.push({ n, toolCallId, tool, sha256, excerpts: await excerptsOf(matcher, teamId, query, deadline) });
  }
  return citations;
}

/** If excerpts cannot be found in time, the answer is recorded without them. */
async function excerptsOf(
  matcher: ExcerptMatcher,
  teamId: string,
  query: ExcerptQuery,
  deadline: AbortSignal,
): Promise<string[]> {
  while (!deadline.aborted) {
    try {
      const { excerpts } = await matcher.match(teamId, query, { most: 0, characters: 0 }, deadline);
      return excerpts;
    } catch (error) {
      if (deadline.aborted) return [];
      if (!(error instanceof DependencyDown)) throw error;
      if (error.code !== 'busy') return [];
      await sleep(BUSY_MS);
    }
  }
  return [];
}
