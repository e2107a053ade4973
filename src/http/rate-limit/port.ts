/** The answer of a limiter to one request. */
export interface RateLimitVerdict {
  allowed: boolean;
  /** Most requests in a burst, which is also the number a minute. */
  limit: number;
  /** Requests that would be accepted right now. */
  remaining: number;
  /** Seconds until the allowance is whole again. */
  resetSeconds: number;
  /** Seconds until the next request is accepted; 0 when allowed. */
  retryAfterSeconds: number;
}

/** Counts requests by key. `undefined` means that there is no limit. */
export interface RateLimiter {
  /**
   * Takes one request out of the key's allowance.
   * Answers at once where it can, so that a limit in memory costs the hot path no promise.
   */
  take(key: string): RateLimitVerdict | undefined | Promise<RateLimitVerdict | undefined>;
  /** Puts back one request that was taken and shall not count. */
  giveBack(key: string): void | Promise<void>;
}

/** The limiter of a deployment that limits nothing. */
export const unlimited: RateLimiter = { take: () => undefined, giveBack: () => undefined };
