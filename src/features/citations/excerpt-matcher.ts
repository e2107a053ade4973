/** Runs the matcher off the event loop: large results are matched in a worker thread. */
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { DependencyDown } from '../../http/errors.ts';
import { createFairSlots } from '../../platform/fair-slots.ts';
import { findMatches, type CandidateBounds, type ExcerptQuery, type Matches } from './matcher/find-excerpts.ts';
import type { MatchTask } from './matcher/thread.ts';

/** Below this size a match takes milliseconds and a thread gains little; 5 MB take a third of a second. */
const INLINE_CHARACTERS = 32_768;
/** A match takes less than 0.1 s per megabyte, and several times that if every other character is a number. */
const MAX_MATCH_MS = 10_000;
const MAX_THREADS = 4;
/** Waiting requests hold their whole result in memory. */
const MAX_WAITING_PER_TEAM = 8;
const MAX_WAITING = 32;
/** Per thread; 16 MB of nothing but small lists need half of it. */
const HEAP_MB = 1_024;

export interface ExcerptMatcher {
  /**
   * Teams take turns.
   * @param signal aborts the search
   * @throws {DependencyDown} if the search takes too long or too many of the team's searches are waiting
   * @throws the signal's reason if it was aborted
   */
  match(teamId: string, query: ExcerptQuery, bounds: CandidateBounds, signal: AbortSignal): Promise<Matches>;
  /** Terminates the threads. */
  close(): Promise<void>;
}

/** Threads start on demand and end after a minute without work. */
export function createExcerptMatcher({ longestMs = MAX_MATCH_MS }: { longestMs?: number } = {}): ExcerptMatcher {
  const maxThreads = Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1));
  const pool = new Piscina<MatchTask, Matches>({
    filename: new URL('./matcher/thread.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads,
    idleTimeout: 60_000,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const slots = createFairSlots({
    slots: maxThreads,
    slotsPerKey: maxThreads,
    maxWaitingPerKey: MAX_WAITING_PER_TEAM,
    maxWaiting: MAX_WAITING,
    busy: () => new DependencyDown('Too many excerpts are being looked for.', 'busy'),
  });
  return {
    async match(teamId, query, bounds, signal) {
      if (query.content.length + query.text.length <= INLINE_CHARACTERS) return findMatches(query, bounds);
      const timeout = AbortSignal.timeout(longestMs);
      const search = async (): Promise<Matches> => {
        try {
          return await pool.run({ query, bounds }, { signal: AbortSignal.any([signal, timeout]) });
        } catch (error) {
          signal.throwIfAborted();
          throw new DependencyDown('The excerpts could not be found in time.', 'search_failed', { cause: error });
        }
      };
      return slots(teamId, search, signal);
    },
    close: () => pool.destroy(),
  };
}
