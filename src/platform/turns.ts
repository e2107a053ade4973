import { setTimeout as delay } from 'node:timers/promises';
import { untilAborted } from './until-aborted.ts';

/** @param signal ends the waiting; whether it ends `work` as well is up to the caller */
export type Turns = <T>(name: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** A work as the next one of its name sees it. */
interface Place {
  begun: Promise<void>;
  over: Promise<void>;
}

/**
 * Lets works of the same name wait for each other within this process. What decides between them is elsewhere (a lock of
 * the database, a compare-and-swap), and holds between processes as well: this only spares them attempts that would be
 * lost, and connections that would wait.
 * @param options.patienceMs so long after the work before it has begun the next one goes ahead without its turn, for
 *   works that may hang; as long as it takes unless given
 */
export function createTurns({ patienceMs }: { patienceMs?: number } = {}): Turns {
  const last = new Map<string, Place>();
  return async (name, work, signal) => {
    const before = last.get(name);
    const begun = Promise.withResolvers<void>();
    let isBegun = false;
    const turn = (async () => {
      if (before) await turnAfter(before, patienceMs, signal);
      isBegun = true;
      begun.resolve();
      return work();
    })();
    const over = turn.then(
      () => undefined,
      () => {
        if (isBegun) return undefined;
        // Who did not wait to the end leaves its place to whoever was before it.
        begun.resolve(before?.begun);
        return before?.over;
      },
    );
    const place = { begun: begun.promise, over };
    last.set(name, place);
    try {
      return await turn;
    } finally {
      void over.then(() => {
        if (last.get(name) === place) last.delete(name);
      });
    }
  };
}

/** @throws the reason of the signal, when it fires first */
async function turnAfter({ begun, over }: Place, patienceMs?: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const done = new AbortController();
  const patience = async (): Promise<void> => {
    await begun;
    await delay(patienceMs, undefined, { signal: done.signal });
  };
  const turn = patienceMs === undefined ? over : Promise.race([over, patience()]);
  try {
    await (signal ? untilAborted(turn, signal) : turn);
  } finally {
    done.abort();
  }
}
