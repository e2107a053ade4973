import { untilAborted } from './concurrency.ts';

export interface FairSlotsOptions {
  /** Maximum tasks running at once. */
  slots: number;
  /** Maximum tasks of one key running at once. */
  slotsPerKey: number;
  /** Maximum tasks of one key waiting. */
  maxWaitingPerKey: number;
  /** Maximum tasks of all keys waiting; unlimited by default. */
  maxWaiting?: number;
  /** Creates the error for a task that may not even wait. */
  busy: () => Error;
}

/** @param signal stops waiting; whether it also stops `task` is up to the caller */
export type FairSlots = <T>(key: string, task: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** The tasks of one key. */
interface Queue {
  running: number;
  waiting: Waiter[];
}

interface Waiter {
  admitted: boolean;
  admit: () => void;
}

/**
 * Shares slots among keys round robin: a key with many tasks delays only itself. Tasks of one key start in order of
 * arrival. A task that hangs keeps its slot: bound it.
 */
export function createFairSlots(options: FairSlotsOptions): FairSlots {
  const { slots, slotsPerKey, maxWaitingPerKey, maxWaiting = Infinity, busy } = options;
  /** The least recently served key comes first. */
  const queues = new Map<string, Queue>();
  let free = slots;
  let waiting = 0;

  const admit = (): void => {
    for (const [key, queue] of queues) {
      if (free === 0) return;
      if (queue.running >= slotsPerKey) continue;
      const waiter = queue.waiting.shift();
      if (!waiter) continue;
      free -= 1;
      waiting -= 1;
      queue.running += 1;
      waiter.admitted = true;
      waiter.admit();
      // Ends the current iteration too, so the loop ends only when no slot or no task is left.
      queues.delete(key);
      queues.set(key, queue);
    }
  };
  const forgetIdle = (key: string, queue: Queue): void => {
    if (queue.running === 0 && queue.waiting.length === 0) queues.delete(key);
  };
  const release = (key: string, queue: Queue): void => {
    free += 1;
    queue.running -= 1;
    forgetIdle(key, queue);
    admit();
  };

  return async (key, task, signal) => {
    signal?.throwIfAborted();
    const queue = queues.get(key) ?? { running: 0, waiting: [] };
    const mustWait = free === 0 || queue.running >= slotsPerKey;
    if (mustWait && (queue.waiting.length >= maxWaitingPerKey || waiting >= maxWaiting)) throw busy();
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter: Waiter = { admitted: false, admit: resolve };
    queue.waiting.push(waiter);
    waiting += 1;
    queues.set(key, queue);
    admit();
    try {
      await (signal ? untilAborted(promise, signal) : promise);
    } catch (error) {
      if (waiter.admitted) release(key, queue);
      else {
        queue.waiting.splice(queue.waiting.indexOf(waiter), 1);
        waiting -= 1;
        forgetIdle(key, queue);
      }
      throw error;
    }
    try {
      return await task();
    } finally {
      release(key, queue);
    }
  };
}
