/** Work done one piece after the other, in the order it came; a piece that fails does not stop the next. */
export class SerialQueue {
  #last: Promise<void> = Promise.resolve();
  #length = 0;
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** How many pieces are waiting or under way. */
  get length(): number {
    return this.#length;
  }

  add(work: () => Promise<void>): void {
    this.#length++;
    this.#last = this.#last
      .then(work)
      .catch(this.#onError)
      .finally(() => this.#length--);
  }

  /** Resolves when everything that was added so far is done. */
  idle(): Promise<void> {
    return this.#last;
  }
}
