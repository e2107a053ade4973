import type { Redis } from 'ioredis';
import type { Config } from '../../config.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { createFailedAuthLimiter, type FailedAuthLimiter } from './failed-auth.ts';
import { memoryRateLimiter } from './memory.ts';
import { unlimited, type RateLimiter } from './port.ts';
import { redisRateLimiter } from './redis.ts';

/** Failed authentications get a tenth of a key's limit, but at least this many per minute. */
const MIN_FAILURES = 10;

/**
 * The limiters of an API process: shared through Redis if configured, otherwise per process. Failed authentications
 * stay limited when `config.rateLimit` is off.
 */
export function createRateLimiters(options: { config: Config; clock: Clock; log: Logger; redis?: Redis }): {
  rateLimiter: RateLimiter;
  failedAuthLimiter: FailedAuthLimiter;
} {
  const { config, clock, log, redis } = options;
  const limiter = (limit: number, prefix: string): RateLimiter => {
    const memory = memoryRateLimiter(limit, clock);
    return redis ? redisRateLimiter({ redis, limit, prefix, fallback: memory, log }) : memory;
  };
  const { rateLimit } = config;
  const failures = rateLimit === 'off' ? 60 : Math.max(MIN_FAILURES, Math.floor(rateLimit / 10));
  return {
    rateLimiter: rateLimit === 'off' ? unlimited : limiter(rateLimit, 'casebook:rate'),
    failedAuthLimiter: createFailedAuthLimiter(limiter(failures, 'casebook:failed-auth')),
  };
}
