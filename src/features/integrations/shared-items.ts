/** What calls share, such as connections: opened once for each key, closed when nobody has used it for a while. */
import { LRUCache } from 'lru-cache';

export interface SharedItems<Item> {
  /** Finds or opens it, for use at once. */
  get(key: string, open: () => Item): Item;
  /**
   * Works with it: it stays open until then, even if it has to make room for others.
   * @param size 1 by default
   */
  use<Result>(key: string, open: () => Item, work: (item: Item) => Promise<Result>, size?: number): Promise<Result>;
  /** Closes all, also those in use. */
  close(): Promise<void>;
}

interface Held<Item> {
  item: Item;
  calls: number;
  isLeft: boolean;
  closed?: Promise<void>;
}

export interface SharedItemsOptions<Item> {
  /** The sizes of all together. */
  maxSize: number;
  /** After so long without a use it is closed. */
  idleMs: number;
  /** Never throws. */
  close(item: Item): Promise<void>;
  /** Whether an error of its use means that it has to be opened again. By default never. */
  isLost?(error: unknown): boolean;
}

export function shareItems<Item>({
  maxSize,
  idleMs,
  close,
  isLost = () => false,
}: SharedItemsOptions<Item>): SharedItems<Item> {
  const shut = (held: Held<Item>): Promise<void> => (held.closed ??= close(held.item));
  const shutUnused = (held: Held<Item>): void => {
    if (held.isLeft && held.calls === 0) void shut(held);
  };
  const cache = new LRUCache<string, Held<Item>>({
    maxSize,
    ttl: idleMs,
    ttlAutopurge: true,
    updateAgeOnGet: true,
    dispose(held) {
      held.isLeft = true;
      shutUnused(held);
    },
  });
  const hold = (key: string, open: () => Item, size = 1): Held<Item> => {
    const known = cache.get(key);
    if (known) return known;
    const made: Held<Item> = { item: open(), calls: 0, isLeft: false };
    cache.set(key, made, { size });
    return made;
  };
  return {
    get: (key, open) => hold(key, open).item,
    async use(key, open, work, size) {
      const held = hold(key, open, size);
      held.calls++;
      try {
        return await work(held.item);
      } catch (error) {
        if (isLost(error) && cache.peek(key) === held) cache.delete(key);
        throw error;
      } finally {
        held.calls--;
        shutUnused(held);
      }
    },
    async close() {
      const all = [...cache.values()];
      cache.clear();
      await Promise.all(all.map(shut));
    },
  };
}
