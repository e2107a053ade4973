/** An in-memory cache of inventories: every activity of every run needs them all, and they rarely change. */
import { LRUCache } from 'lru-cache';
import type { Orm } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import { Satellite } from '../entities.ts';
import type { Inventory } from '@casebook/wire';

/** Maximum size of cached inventories, in bytes of JSON. */
const MAX_BYTES = 64 * 1_048_576;

type Row = Pick<Satellite, 'id' | 'inventoryDigest' | 'inventoryBytes'>;

export interface InventoryCache {
  /** @returns a function that looks up the inventory of each row; missing ones are loaded */
  of(teamId: string, rows: readonly Row[]): Promise<(row: Row) => Inventory>;
}

export function createInventoryCache(orm: Orm): InventoryCache {
  const known = new LRUCache<string, Inventory>({ maxSize: MAX_BYTES });
  const keyOf = (teamId: string, { id, inventoryDigest }: Row): string => `${teamId}/${id}/${inventoryDigest}`;

  return {
    async of(teamId, rows) {
      const found = new Map<string, Inventory>();
      const missing: string[] = [];
      for (const row of rows) {
        const inventory = known.get(keyOf(teamId, row));
        if (inventory) found.set(row.id, inventory);
        else missing.push(row.id);
      }
      if (missing.length > 0) {
        const em = forTeam(orm.em, teamId);
        for (const row of await em.find(Satellite, { id: { $in: missing } }, { populate: ['inventory'] })) {
          found.set(row.id, row.inventory);
          known.set(keyOf(teamId, row), row.inventory, { size: row.inventoryBytes + 1 });
        }
      }
      // A satellite deleted in the meantime offers nothing.
      return ({ id }) => found.get(id) ?? NOTHING;
    },
  };
}

const NOTHING: Inventory = { version: '', labels: {}, connectors: [], tools: [], omittedTools: 0 };
