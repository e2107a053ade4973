import type { EntityManager } from '../db/orm.ts';
import { DependencyDown, TooManyRequests } from './errors.ts';

/** A search reads the texts of every row that has its words: it may take long, and must not take the database. */
const LONGEST_SEARCH_MS = 2_000;
/** Of this process, which has twenty connections for everything. */
const MOST_SEARCHES = 2;
/** What PostgreSQL says when a statement took too long. */
const QUERY_CANCELED = '57014';

let searches = 0;

/**
 * Searches in a transaction whose statements may take two seconds each; at most two searches run at once in a process.
 * @param what is searched, for the message: `chats`
 * @throws {TooManyRequests} when others search, {@link DependencyDown} when it takes too long
 */
export async function boundedSearch<T>(
  em: EntityManager,
  what: string,
  search: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  if (searches >= MOST_SEARCHES) throw new TooManyRequests(1, 'Others are searching. Try again in a moment.', 'busy');
  searches += 1;
  try {
    return await em.fork().transactional(async (tx) => {
      await tx.execute(`set local statement_timeout = ${LONGEST_SEARCH_MS}`);
      return search(tx);
    });
  } catch (error) {
    if (!isCanceled(error)) throw error;
    throw new DependencyDown(`The search took too long. Use words that fewer ${what} have.`, 'search_too_broad');
  } finally {
    searches -= 1;
  }
}

function isCanceled(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === QUERY_CANCELED;
}
