import type { Orm } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { EventLog } from '../../../platform/event-log/index.ts';
import { createSatelliteCalls } from '../calls/calls.ts';
import { Satellite } from '../entities.ts';
import { routeOf } from '../liveness.ts';
import type { SatelliteAccess } from './port.ts';

/** The satellites that are registered, asked through the event log. */
export function storedSatellites(deps: { orm: Orm; events: EventLog; clock: Clock }): SatelliteAccess {
  const { orm, clock } = deps;
  return {
    calls: createSatelliteCalls(deps),
    async load(teamId) {
      const rows = await forTeam(orm.em, teamId).find(Satellite, {}, { populate: ['inventory'] });
      const now = clock.now();
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        inventory: row.inventory,
        online: routeOf(row, now) !== undefined,
        lastSeenAt: row.lastHeartbeatAt,
        hasGraph: false,
      }));
    },
    graph: async () => undefined,
  };
}
