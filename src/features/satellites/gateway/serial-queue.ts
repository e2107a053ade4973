/** Runs tasks one after the other, in order; a failed task does not stop the next. */
export class SerialQueue {
  #last: Promise<void> = Promise.resolve();
  #length = 0;
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Number of tasks waiting or running. */
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

  /** Resolves when all tasks added so far are done. */
  idle(): Promise<void> {
    return this.#last;
  }
}
