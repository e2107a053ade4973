interface Waiting<Item, Result> {
  item: Item;
  weight: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Group commit: at most `lanes` calls of `run` are in flight, and items that arrive meanwhile share the next call. An
 * idle batcher adds no delay; a busy one shares each round trip among all waiting items. Items keep the order in which
 * they were added.
 */
export class Batcher<Item, Result> {
  readonly #run: (items: Item[]) => Promise<Result[]>;
  readonly #lanes: number;
  readonly #maxItems: number;
  readonly #maxWeight: number;
  #waiting: Waiting<Item, Result>[] = [];
  #underway = new Set<Promise<void>>();

  /**
   * @param options.run returns one result per item, in order; if it throws, every item of the batch fails with that
   *   error
   * @param options.lanes calls at a time; 1 preserves the order of items across batches too
   * @param options.maxWeight total weight at which a batch is full (it always holds at least one item)
   */
  constructor(options: {
    run: (items: Item[]) => Promise<Result[]>;
    lanes: number;
    maxItems: number;
    maxWeight: number;
  }) {
    this.#run = options.run;
    this.#lanes = options.lanes;
    this.#maxItems = options.maxItems;
    this.#maxWeight = options.maxWeight;
  }

  /** @returns the result of the item; rejects with whatever `run` threw for its batch */
  add(item: Item, weight = 0): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ item, weight, resolve, reject });
    this.#pump();
    return promise;
  }

  /** Resolves when nothing is waiting or in flight. Never rejects. */
  async drain(): Promise<void> {
    while (this.#underway.size > 0) await Promise.all(this.#underway);
  }

  #pump(): void {
    while (this.#waiting.length > 0 && this.#underway.size < this.#lanes) {
      const call: Promise<void> = this.#call(this.#takeBatch()).finally(() => {
        this.#underway.delete(call);
        this.#pump();
      });
      this.#underway.add(call);
    }
  }

  #takeBatch(): Waiting<Item, Result>[] {
    let count = 0;
    let weight = 0;
    for (const next of this.#waiting) {
      weight += next.weight;
      if (count > 0 && (count >= this.#maxItems || weight > this.#maxWeight)) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #call(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#run(batch.map(({ item }) => item));
      batch.forEach((waiting, index) => waiting.resolve(results[index]!));
    } catch (error) {
      for (const waiting of batch) waiting.reject(error);
    }
  }
}
