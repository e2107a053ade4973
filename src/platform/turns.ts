import { setTimeout as delay } from 'node:timers/promises';

/** @param signal ends the waiting; whether it ends `work` as well is up to the caller */
export type Turns = <T>(name: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/**
 * Lets works of the same name wait for each other within this process. What decides between them is elsewhere (a lock of
 * the database, a compare-and-swap), and holds between processes as well: this only spares them attempts that would be
 * lost, and connections that would wait. So a work does not wait for ever behind one that hangs.
 * @param options.patienceMs after so long it goes ahead without its turn
 */
export function createTurns({ patienceMs }: { patienceMs: number }): Turns {
  const last = new Map<string, Promise<unknown>>();
  return async (name, work, signal) => {
    const before = last.get(name);
    let isBegun = false;
    const turn = (async () => {
      if (before) await settled(before, patienceMs, signal);
      isBegun = true;
      return work();
    })();
    // Behind one that did not wait to the end is whoever was before it.
    const over = turn.then(
      () => undefined,
      () => (isBegun ? undefined : before),
    );
    last.set(name, over);
    try {
      return await turn;
    } finally {
      void over.then(() => {
        if (last.get(name) === over) last.delete(name);
      });
    }
  };
}

/** @throws the reason of the signal, when it fires first */
async function settled(work: Promise<unknown>, mostMs: number, signal?: AbortSignal): Promise<void> {
  const done = new AbortController();
  const ends = AbortSignal.any([done.signal, ...(signal ? [signal] : [])]);
  try {
    await Promise.race([work, delay(mostMs, undefined, { signal: ends })]);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    done.abort();
  }
}
