import { setTimeout as delay } from 'node:timers/promises';
import { untilAborted } from './concurrency.ts';

/** @param signal stops waiting; whether it also stops `work` is up to the caller */
export type KeyedMutex = <T>(key: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** A task as the next one of its key sees it. */
interface Place {
  begun: Promise<void>;
  over: Promise<void>;
}

/**
 * Runs tasks of the same key one after another within this process. Correctness is ensured elsewhere and across
 * processes (a database lock, a compare-and-swap); this only saves attempts that would lose, and connections that would
 * wait.
 * @param options.timeoutMs how long a task may delay the next one, for tasks that may hang; forever by default
 */
export function createKeyedMutex({ timeoutMs }: { timeoutMs?: number } = {}): KeyedMutex {
  const last = new Map<string, Place>();
  return async (key, work, signal) => {
    const before = last.get(key);
    const begun = Promise.withResolvers<void>();
    let isBegun = false;
    const turn = (async () => {
      if (before) await untilOver(before, timeoutMs, signal);
      isBegun = true;
      begun.resolve();
      return work();
    })();
    const over = turn.then(
      () => undefined,
      () => {
        if (isBegun) return undefined;
        // A task that stops waiting hands its place to its predecessor.
        begun.resolve(before?.begun);
        return before?.over;
      },
    );
    const place = { begun: begun.promise, over };
    last.set(key, place);
    try {
      return await turn;
    } finally {
      void over.then(() => {
        if (last.get(key) === place) last.delete(key);
      });
    }
  };
}

/** @throws the reason of the signal, when it fires first */
async function untilOver({ begun, over }: Place, timeoutMs?: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const done = new AbortController();
  const timedOut = async (): Promise<void> => {
    await begun;
    await delay(timeoutMs, undefined, { signal: done.signal });
  };
  const turn = timeoutMs === undefined ? over : Promise.race([over, timedOut()]);
  try {
    await (signal ? untilAborted(turn, signal) : turn);
  } finally {
    done.abort();
  }
}
