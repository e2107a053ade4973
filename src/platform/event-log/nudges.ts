/** One tail's subscription in {@link Nudges}. Only one of its promises is awaited at a time. */
export interface Subscription {
  readonly closed: boolean;
  /** Resolves at the next nudge, or at once if one came since the last `wait` returned; `false` when closed. */
  wait(): Promise<boolean>;
  /** Resolves after `ms` milliseconds or as soon as the subscription closes. */
  pause(ms: number): Promise<void>;
  /** The value of `work`, or undefined as soon as the subscription closes. */
  unlessClosed<T>(work: Promise<T>): Promise<T | undefined>;
  close(): void;
}

/**
 * Notifies tails that their stream may have grown. A nudge carries no data: any number of them between two reads count
 * as one, so nothing queues for a slow consumer. All tails are nudged every `pollMs`, because a notification can be
 * lost with the connection that carried it.
 */
export class Nudges {
  readonly #byStream = new Map<string, Set<Nudged>>();
  readonly #pollMs: number;
  #poll: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: { pollMs: number }) {
    this.#pollMs = options.pollMs;
  }

  /** The number of active tails. */
  get size(): number {
    let size = 0;
    for (const tails of this.#byStream.values()) size += tails.size;
    return size;
  }

  /** A new subscription starts nudged, to read what already exists. */
  subscribe(stream: string): Subscription {
    const tail = new Nudged(() => this.#remove(stream, tail));
    if (this.#closed) {
      tail.close();
      return tail;
    }
    const tails = this.#byStream.get(stream);
    if (tails) tails.add(tail);
    else this.#byStream.set(stream, new Set([tail]));
    this.#poll ??= setInterval(() => this.nudgeAll(), this.#pollMs).unref();
    return tail;
  }

  nudge(stream: string): void {
    for (const tail of this.#byStream.get(stream) ?? []) tail.nudge();
  }

  nudgeAll(): void {
    for (const tails of this.#byStream.values()) for (const tail of tails) tail.nudge();
  }

  close(): void {
    this.#closed = true;
    for (const tails of this.#byStream.values()) for (const tail of tails) tail.close();
  }

  #remove(stream: string, tail: Nudged): void {
    const tails = this.#byStream.get(stream);
    if (!tails?.delete(tail) || tails.size > 0) return;
    this.#byStream.delete(stream);
    if (this.#byStream.size > 0) return;
    clearInterval(this.#poll);
    this.#poll = undefined;
  }
}

class Nudged implements Subscription {
  closed = false;
  #nudged = true;
  #onNudge: (() => void) | undefined;
  #onClose: (() => void) | undefined;
  readonly #remove: () => void;

  constructor(remove: () => void) {
    this.#remove = remove;
  }

  nudge(): void {
    this.#nudged = true;
    this.#onNudge?.();
  }

  async wait(): Promise<boolean> {
    if (!this.#nudged && !this.closed) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onNudge = resolve;
      await promise;
      this.#onNudge = undefined;
    }
    this.#nudged = false;
    return !this.closed;
  }

  async pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await this.unlessClosed(promise);
    clearTimeout(timer);
  }

  // Not Promise.race with a long-lived "closed" promise: every race would leave a reaction on it for as long as the
  // tail lives.
  unlessClosed<T>(work: Promise<T>): Promise<T | undefined> {
    if (this.closed) {
      work.catch(() => undefined);
      return Promise.resolve(undefined);
    }
    const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
    this.#onClose = () => resolve(undefined);
    work.then(resolve, reject);
    return promise.finally(() => (this.#onClose = undefined));
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.#remove();
    this.#onNudge?.();
    this.#onClose?.();
  }
}
