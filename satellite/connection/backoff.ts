/** How long to wait before connecting again. */

/**
 * `failed`: not reached, or lost. `restarting`: the node said that it goes away; others are there. `refused`: the token
 * or the name is not accepted, which only an operator changes.
 */
export type Ending = 'failed' | 'restarting' | 'refused';

export interface BackoffTimes {
  baseMs: number;
  capMs: number;
  refusedCapMs: number;
}

export const BACKOFF: BackoffTimes = { baseMs: 500, capMs: 60_000, refusedCapMs: 300_000 };

/** By how many doublings a refusal waits longer than a failure. */
const REFUSED_DOUBLINGS = 3;

/**
 * Exponential with full jitter (Brooker, "Exponential Backoff And Jitter"): satellites that lost one node do not come
 * back as one. A refusal waits for at least half of its ceiling: it will not go away by trying.
 *
 * @param attempt how many connections ended this way in a row before this one, 0 and up
 * @param random 0 to 1
 * @returns ms
 */
export function backoffMs(ending: Ending, attempt: number, random: number, times: BackoffTimes = BACKOFF): number {
  const { baseMs, capMs, refusedCapMs } = times;
  const doublings = Math.min(attempt, 40);
  if (ending === 'refused') {
    const ceiling = Math.min(refusedCapMs, baseMs * 2 ** (doublings + REFUSED_DOUBLINGS));
    return ceiling * (0.5 + random / 2);
  }
  return Math.min(capMs, baseMs * 2 ** doublings) * random;
}

/** A connection that stayed this long was a good one. */
export const STAYED_MS = 60_000;

/** Counts each kind of ending since the last good connection: the first restart of a node is no failure. */
export class Attempts {
  readonly #counts: Record<Ending, number> = { failed: 0, restarting: 0, refused: 0 };

  /**
   * @param stayedMs how long the connection was up
   * @returns the attempt that {@link backoffMs} takes
   */
  next(ending: Ending, stayedMs: number): number {
    if (stayedMs >= STAYED_MS) Object.assign(this.#counts, { failed: 0, restarting: 0, refused: 0 });
    return this.#counts[ending]++;
  }
}
