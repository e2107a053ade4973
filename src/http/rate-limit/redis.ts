import type { Redis } from 'ioredis';
import type { Logger } from '../../platform/logger.ts';
import { verdictAt, WINDOW_MS } from './memory.ts';
import type { RateLimiter } from './port.ts';

/** GCRA as one atomic step, by Redis's own clock so that the nodes' clocks need not agree. Times in microseconds. */
const SCRIPT = `
local now = redis.call('TIME')
now = now[1] * 1000000 + now[2]
local interval = tonumber(ARGV[1])
local window = tonumber(ARGV[2])
local taken = tonumber(ARGV[3])
local tat = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local next = tat + taken * interval
if next <= now then
  redis.call('DEL', KEYS[1])
  return {1, '0'}
end
if next - now > window + 1 then return {0, string.format('%.0f', tat - now)} end
redis.call('SET', KEYS[1], string.format('%.0f', next), 'PX', math.ceil((next - now) / 1000))
return {1, string.format('%.0f', next - now)}
`;

/**
 * A limiter that all API processes share.
 * @param options.fallback counts when Redis does not answer: losing Redis must neither stop the API nor lift the limit
 * @param options.prefix keeps limiters with different limits apart
 */
export function redisRateLimiter(options: {
  redis: Redis;
  limit: number;
  prefix: string;
  fallback: RateLimiter;
  log: Logger;
}): RateLimiter {
  const { redis, limit, prefix, fallback, log } = options;
  let failing = false;
  const run = async (key: string, taken: 1 | -1) => {
    const interval = Math.round((WINDOW_MS * 1000) / limit);
    const reply: unknown = await redis.eval(SCRIPT, 1, `${prefix}:${key}`, interval, WINDOW_MS * 1000, taken);
    if (!Array.isArray(reply)) throw new TypeError('Redis sent an unexpected reply to the rate limit script.');
    return verdictAt(Number(reply[1]) / 1000, 0, limit, reply[0] === 1);
  };
  const guarded = async <T>(ask: () => Promise<T>, otherwise: () => T | Promise<T>): Promise<T> => {
    try {
      const answer = await ask();
      failing = false;
      return answer;
    } catch (error) {
      if (!failing) log.warn({ err: error }, 'Redis does not answer: this process counts rate limits on its own');
      failing = true;
      return otherwise();
    }
  };
  return {
    take: (key) =>
      guarded(
        () => run(key, 1),
        () => fallback.take(key),
      ),
    giveBack: (key) =>
      guarded(
        async () => void (await run(key, -1)),
        () => fallback.giveBack(key),
      ),
  };
}
