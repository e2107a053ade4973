/** A limiter's verdict on one request. */
export interface RateLimitVerdict {
  allowed: boolean;
  /** Maximum requests in a burst, which is also the number per minute. */
  limit: number;
  /** Requests that would be accepted right now. */
  remaining: number;
  /** Seconds until the allowance is full again. */
  resetSeconds: number;
  /** Seconds until the next request is accepted; 0 if allowed. */
  retryAfterSeconds: number;
}

/** Counts requests by key. `undefined` means no limit. */
export interface RateLimiter {
  /**
   * Takes one request out of the key's allowance. Synchronous if possible, so that an in-memory limit costs the hot
   * path no promise.
   */
  take(key: string): RateLimitVerdict | undefined | Promise<RateLimitVerdict | undefined>;
  /** Refunds a request that should not count. */
  giveBack(key: string): void | Promise<void>;
}

/** The limiter of a deployment without limits. */
export const unlimited: RateLimiter = { take: () => undefined, giveBack: () => undefined };
