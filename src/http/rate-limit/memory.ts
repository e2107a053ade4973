import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/clock.ts';
import type { RateLimiter, RateLimitVerdict } from './port.ts';

/** Keys remembered; beyond it the least recently seen one is forgotten. */
const MAX_KEYS = 50_000;

/**
 * A limiter for this process alone.
 * @param limit requests per minute and key
 */
export function memoryRateLimiter(limit: number, clock: Clock): RateLimiter {
  const tats = new LRUCache<string, number>({ max: MAX_KEYS });
  return {
    take(key) {
      const { verdict, tat } = gcra(tats.get(key), clock.now().getTime(), limit);
      tats.set(key, tat);
      return verdict;
    },
    giveBack(key) {
      const tat = tats.get(key);
      if (tat !== undefined) tats.set(key, tat - WINDOW_MS / limit);
    },
  };
}

/**
 * Generic cell rate algorithm: a bucket of `limit` requests that refills evenly over a minute, in one number per key
 * (the theoretical arrival time, "tat").
 * @param tat the number stored for the key, in ms; undefined for a new key
 * @param now in ms
 * @param limit requests per minute
 * @returns the verdict, and the number to store (unchanged if the request is refused)
 */
export function gcra(tat: number | undefined, now: number, limit: number): { verdict: RateLimitVerdict; tat: number } {
  const interval = WINDOW_MS / limit;
  const current = Math.max(tat ?? now, now);
  const next = current + interval;
  const allowed = next - now <= WINDOW_MS + ROUNDING_MS;
  return { verdict: verdictAt(allowed ? next : current, now, limit, allowed), tat: allowed ? next : current };
}

/** The time in which an empty bucket fills: a minute. */
export const WINDOW_MS = 60_000;

/** Larger than the rounding error of summed fractional intervals. */
const ROUNDING_MS = 0.001;

/** The verdict for a key whose stored number is `tat`. */
export function verdictAt(tat: number, now: number, limit: number, allowed: boolean): RateLimitVerdict {
  const interval = WINDOW_MS / limit;
  const used = Math.max(0, tat - now);
  return {
    allowed,
    limit,
    remaining: Math.max(0, Math.floor((WINDOW_MS - used + ROUNDING_MS) / interval)),
    resetSeconds: used / 1000,
    retryAfterSeconds: allowed ? 0 : Math.max(0, used + interval - WINDOW_MS) / 1000,
  };
}
