/** How much is asked of the customer's systems at one time: of all together, and of each. */
import { QueryError } from '@casebook/connectors';

/** Queries that may wait for their turn; more are refused, since their time would run out in the queue. */
const MAX_WAITING = 100;

interface Waiting {
  target: string;
  begin: () => void;
}

export class Slots {
  readonly #most: number;
  readonly #mostPerTarget: number;
  readonly #mostWaiting: number;
  readonly #running = new Map<string, number>();
  #total = 0;
  #waiting: Waiting[] = [];

  constructor(limits: { concurrency: number; perTarget: number; mostWaiting?: number }) {
    this.#most = limits.concurrency;
    this.#mostPerTarget = limits.perTarget;
    this.#mostWaiting = limits.mostWaiting ?? MAX_WAITING;
  }

  /**
   * Waits for a free place, in the order of asking; whoever asks for a target that is taken does not hold up the others.
   * @returns gives the place back
   * @throws {QueryError} `busy` when too many wait already
   * @throws the signal's reason when it fires first
   */
  async take(target: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (!this.#free(target)) {
      if (this.#waiting.length >= this.#mostWaiting)
        throw new QueryError('busy', `${this.#waiting.length} queries wait for their turn already; try again later.`);
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
    return this.#total < this.#most && (this.#running.get(target) ?? 0) < this.#mostPerTarget;
  }

  #count(target: string, by: 1 | -1): void {
    this.#total += by;
    const running = (this.#running.get(target) ?? 0) + by;
    if (running > 0) this.#running.set(target, running);
    else this.#running.delete(target);
  }

  #next(): void {
    for (const waiting of this.#waiting) {
      if (this.#total >= this.#most) return;
      if (!this.#free(waiting.target)) continue;
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      waiting.begin();
    }
  }
}
