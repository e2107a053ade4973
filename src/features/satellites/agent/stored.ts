import type { Orm } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { EventLog } from '../../../platform/event-log/index.ts';
import type { Logger } from '../../../platform/logger.ts';
import { createSatelliteCalls } from '../calls/calls.ts';
import { Satellite } from '../entities.ts';
import { createGraphStore } from '../graph/index.ts';
import { createInventoryCache } from './inventories.ts';
import type { SatelliteAccess } from './port.ts';

/** Maximum number of edges a tool's walk sees; the least called are left out. */
const MAX_EDGES = 50_000;

/** The registered satellites, queried through the event log. */
export function storedSatellites(deps: { orm: Orm; events: EventLog; clock: Clock; log: Logger }): SatelliteAccess {
  const { orm } = deps;
  const graphs = createGraphStore(deps);
  const inventories = createInventoryCache(orm);
  return {
    calls: createSatelliteCalls(deps),
    async load(teamId) {
      const [rows, withGraph] = await Promise.all([forTeam(orm.em, teamId).find(Satellite, {}), graphs.sentBy(teamId)]);
      const inventoryOf = await inventories.of(teamId, rows);
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        inventory: inventoryOf(row),
        inventoryDigest: row.inventoryDigest,
        hasGraph: withGraph.has(row.id),
      }));
    },
    async graph(teamId, satelliteId) {
      const { edges, asOf, truncated, truncatedAtSource } = await graphs.edges(teamId, satelliteId, MAX_EDGES);
      return asOf && { edges, asOf: asOf.getTime() / 1_000, truncated: truncated || truncatedAtSource };
    },
  };
}
