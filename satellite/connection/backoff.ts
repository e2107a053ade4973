/** The delay before reconnecting. */

/**
 * `failed`: unreachable or lost. `restarting`: the node announced its shutdown; others are up. `refused`: the token or
 * name is not accepted, which only an operator can change.
 */
export type Ending = 'failed' | 'restarting' | 'refused';

export interface BackoffTimes {
  baseMs: number;
  capMs: number;
  refusedCapMs: number;
}

export const BACKOFF: BackoffTimes = { baseMs: 500, capMs: 60_000, refusedCapMs: 300_000 };

/** Extra doublings for a refusal over a failure. */
const REFUSED_DOUBLINGS = 3;

/**
 * Exponential with full jitter (Brooker, "Exponential Backoff And Jitter"): satellites that lost the same node do not
 * all return at once. A refusal waits at least half of its ceiling: retrying does not fix it.
 * @param attempt number of consecutive connections that ended this way before, from 0
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

/** A connection that lasted this long was a good one. */
const STAYED_MS = 60_000;

/** Counts each kind of ending since the last good connection: a node's first restart is not a failure. */
export class Attempts {
  readonly #counts: Record<Ending, number> = { failed: 0, restarting: 0, refused: 0 };

  /**
   * @param stayedMs how long the connection was up
   * @returns the `attempt` for {@link backoffMs}
   */
  next(ending: Ending, stayedMs: number): number {
    if (stayedMs >= STAYED_MS) Object.assign(this.#counts, { failed: 0, restarting: 0, refused: 0 });
    return this.#counts[ending]++;
  }
}
