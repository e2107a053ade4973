/** Rate limit for a peer: a token bucket, which refills steadily and allows a burst. */
class Allowance {
  #level: number;
  #at: number;
  readonly #burst: number;
  readonly #perSecond: number;

  constructor(options: { burst: number; perSecond: number }, now: number) {
    this.#burst = options.burst;
    this.#perSecond = options.perSecond;
    this.#level = options.burst;
    this.#at = now;
  }

  /**
   * Takes from the bucket if it holds enough.
   * @param now monotonic, in ms
   * @returns whether it did
   */
  take(amount: number, now: number): boolean {
    this.#level = Math.min(this.#burst, this.#level + ((now - this.#at) / 1_000) * this.#perSecond);
    this.#at = now;
    if (amount > this.#level) return false;
    this.#level -= amount;
    return true;
  }
}

/** Per connection. Control messages are few; a snapshot of the largest graph is about 100 messages. */
const LIMITS = {
  bytes: { burst: 96 * 1_048_576, perSecond: 16 * 1_048_576 },
  control: { burst: 120, perSecond: 10 },
  graph: { burst: 600, perSecond: 20 },
  /** Answers that no caller waits for. */
  strays: { burst: 2_000, perSecond: 50 },
};

export type Allowances = Record<keyof typeof LIMITS, Allowance>;

/** The remaining allowances of one connection. */
export const allowances = (now: number): Allowances => ({
  bytes: new Allowance(LIMITS.bytes, now),
  control: new Allowance(LIMITS.control, now),
  graph: new Allowance(LIMITS.graph, now),
  strays: new Allowance(LIMITS.strays, now),
});
