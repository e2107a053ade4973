import { TooManyRequests } from '../errors.ts';
import type { RateLimiter } from './port.ts';

/** Limits how many wrong secrets an address may try. */
export interface FailedAuthLimiter {
  /**
   * Looks up a secret that may be a guess. The look-up counts as failed from the start and is refunded when it finds
   * something, so concurrent guesses cannot pass the limit together. Beyond the limit, look-ups wait for those under
   * way: a customer with a good key is not refused because of others behind the same address.
   * @param lookUp resolves the secret
   * @returns its result
   * @throws {TooManyRequests} without looking it up
   */
  attempt<T>(address: string, lookUp: () => Promise<T | undefined>): Promise<T | undefined>;
  /** Counts a failure that was not an attempt. */
  count(address: string): Promise<void>;
}

interface Attempts {
  underWay: number;
  waiting: (() => void)[];
}

export function createFailedAuthLimiter(limiter: RateLimiter): FailedAuthLimiter {
  const addresses = new Map<string, Attempts>();

  const wake = (attempts: Attempts, many: number): void => {
    for (const waiter of attempts.waiting.splice(0, many)) waiter();
  };

  const reserve = async (address: string): Promise<Attempts> => {
    for (;;) {
      const verdict = await limiter.take(address);
      const attempts = addresses.get(address) ?? { underWay: 0, waiting: [] };
      if (!verdict || verdict.allowed) {
        attempts.underWay++;
        addresses.set(address, attempts);
        return attempts;
      }
      if (attempts.underWay === 0) {
        wake(attempts, Infinity);
        addresses.delete(address);
        throw new TooManyRequests(verdict.retryAfterSeconds, 'Too many failed authentications.');
      }
      await new Promise<void>((resolve) => attempts.waiting.push(resolve));
    }
  };

  return {
    async attempt(address, lookUp) {
      const attempts = await reserve(address);
      let isWrong = false;
      try {
        const found = await lookUp();
        isWrong = found === undefined;
        return found;
      } finally {
        if (!isWrong) await limiter.giveBack(address);
        attempts.underWay--;
        if (!isWrong) wake(attempts, 1);
        else if (attempts.underWay === 0) wake(attempts, Infinity);
        if (attempts.underWay === 0 && attempts.waiting.length === 0) addresses.delete(address);
      }
    },
    async count(address) {
      await limiter.take(address);
    },
  };
}
