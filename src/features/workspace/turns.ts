export type Turns = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/**
 * Lets works of the same name wait for each other within this process. Between processes the branch or the draft itself
 * decides; this only spares them the attempts that would be lost.
 */
export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const before = last.get(name);
    const turn = (async () => {
      await before?.catch(() => undefined);
      return work();
    })();
    last.set(name, turn);
    try {
      return await turn;
    } finally {
      if (last.get(name) === turn) last.delete(name);
    }
  };
}
