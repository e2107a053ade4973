import type { EntityManager } from '../db/orm.ts';
import { createFairSlots } from '../platform/fair-slots.ts';
import { DependencyDown, TooManyRequests } from './errors.ts';

/** A search reads the text of every matching row: it may be slow and must not starve the database. */
const MAX_SEARCH_MS = 2_000;
/** Per process, out of twenty connections; a team gets one at a time. */
const MAX_SEARCHES = 2;
/** Searches a team may have waiting. */
const MAX_WAITING = 4;
/** PostgreSQL's code for a statement timeout. */
const QUERY_CANCELED = '57014';

const slots = createFairSlots({
  slots: MAX_SEARCHES,
  slotsPerKey: 1,
  maxWaitingPerKey: MAX_WAITING,
  busy: () => new TooManyRequests(1, 'Your team has too many searches running. Try again in a moment.', 'busy'),
});

/**
 * Runs a search in a transaction whose statements may take two seconds each. Teams take turns.
 * @param what the subject of the search, for messages: `chats`
 * @throws {TooManyRequests} when the team has too many searches waiting, {@link DependencyDown} when the search times
 *   out
 */
export async function boundedSearch<T>(
  em: EntityManager,
  teamId: string,
  what: string,
  search: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  try {
    return await slots(teamId, () =>
      em.fork().transactional(async (tx) => {
        await tx.execute(`set local statement_timeout = ${MAX_SEARCH_MS}`);
        return search(tx);
      }),
    );
  } catch (error) {
    if (!isCanceled(error)) throw error;
    throw new DependencyDown(`The search took too long. Use words that fewer ${what} contain.`, 'search_too_broad');
  }
}

function isCanceled(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === QUERY_CANCELED;
}
