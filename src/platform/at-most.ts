/** Runs a work, now or when a place becomes free. @returns what it returns */
export type AtMost = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Lets so many works of this process go on at one time; the others wait in the order in which they came. A work that
 * hangs keeps its place: give it a bound of its own.
 * @param most 1 or more
 */
export function createAtMost(most: number): AtMost {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      // To whoever waits longest, without becoming free for others in between.
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
