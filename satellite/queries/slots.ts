/** Limits concurrent requests to the customer's systems: in total, and per system. */
import { QueryError } from '@casebook/connectors';

/** Maximum number of waiting queries; more are refused, since their time would run out in the queue. */
const MAX_WAITING = 100;

interface Waiting {
  target: string;
  begin: () => void;
}

export class Slots {
  readonly #max: number;
  readonly #maxPerTarget: number;
  readonly #maxWaiting: number;
  readonly #running = new Map<string, number>();
  #total = 0;
  #waiting: Waiting[] = [];

  constructor(limits: { concurrency: number; perTarget: number; maxWaiting?: number }) {
    this.#max = limits.concurrency;
    this.#maxPerTarget = limits.perTarget;
    this.#maxWaiting = limits.maxWaiting ?? MAX_WAITING;
  }

  /**
   * Waits for a free slot in order of arrival; waiting for a busy target does not block the others.
   * @returns a function that releases the slot
   * @throws {QueryError} `busy` when too many wait already
   * @throws the signal's reason when it fires first
   */
  async take(target: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (!this.#free(target)) {
      if (this.#waiting.length >= this.#maxWaiting)
        throw new QueryError('busy', `${this.#waiting.length} queries are already waiting; try again later.`);
      await this.#turn(target, signal);
    } else this.#count(target, 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#count(target, -1);
      this.#next();
    };
  }

  #turn(target: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        target,
        begin: () => {
          signal.removeEventListener('abort', leave);
          this.#count(target, 1);
          resolve();
        },
      };
      const leave = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(waiting);
    });
  }

  #free(target: string): boolean {
    return this.#total < this.#max && (this.#running.get(target) ?? 0) < this.#maxPerTarget;
  }

  #count(target: string, by: 1 | -1): void {
    this.#total += by;
    const running = (this.#running.get(target) ?? 0) + by;
    if (running > 0) this.#running.set(target, running);
    else this.#running.delete(target);
  }

  #next(): void {
    for (const waiting of this.#waiting) {
      if (this.#total >= this.#max) return;
      if (!this.#free(waiting.target)) continue;
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      waiting.begin();
    }
  }
}
