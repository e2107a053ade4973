/** The graphs of satellites in memory, kept current by version: only changes are read again. */
import { LRUCache } from 'lru-cache';
import type { Orm } from '../../../db/orm.ts';
import { readTable, type VersionedTable } from './rows.ts';

export interface TableCache {
  /**
   * The satellite's graph, at least as new as `version`.
   * @returns undefined when it has none, or no longer has one
   */
  read(teamId: string, satelliteId: string, version: number): Promise<VersionedTable | undefined>;
}

/** @param maxEdges of all graphs together; the most recently used stay */
export function createTableCache(orm: Orm, maxEdges: number): TableCache {
  const tables = new LRUCache<string, VersionedTable>({
    maxSize: maxEdges,
    sizeCalculation: ({ table }) => table.size + 1,
  });
  const reading = new Map<string, Promise<VersionedTable | undefined>>();

  function refresh(teamId: string, satelliteId: string, key: string): Promise<VersionedTable | undefined> {
    const read = readTable(orm, teamId, satelliteId, tables.peek(key))
      .then((table) => {
        if (table) tables.set(key, table);
        else tables.delete(key);
        return table;
      })
      .finally(() => reading.delete(key));
    reading.set(key, read);
    return read;
  }

  return {
    async read(teamId, satelliteId, version) {
      const key = `${teamId}/${satelliteId}`;
      const known = tables.get(key);
      if (known && known.version >= version) return known;
      const underWay = await reading.get(key);
      if (underWay && underWay.version >= version) return underWay;
      return reading.get(key) ?? refresh(teamId, satelliteId, key);
    },
  };
}
