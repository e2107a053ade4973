import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/clock.ts';
import { gcra, WINDOW_MS } from './gcra.ts';
import type { RateLimiter } from './port.ts';

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
