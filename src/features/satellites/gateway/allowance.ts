/** How much a peer may send: a bucket that fills up steadily and holds a burst (token bucket). */
export class Allowance {
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
   * Takes from the bucket, if there is enough in it.
   * @param now monotonic, in ms
   * @returns whether there was
   */
  take(amount: number, now: number): boolean {
    this.#level = Math.min(this.#burst, this.#level + ((now - this.#at) / 1_000) * this.#perSecond);
    this.#at = now;
    if (amount > this.#level) return false;
    this.#level -= amount;
    return true;
  }
}
