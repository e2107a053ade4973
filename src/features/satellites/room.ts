import type { Room, RoomCore } from '../../room.ts';
import type { LoadSystems } from '../tools/index.ts';
import { satelliteSystems, storedSatellites, type SatelliteAccess } from './agent/index.ts';
import { createSatelliteCalls } from './calls/calls.ts';
import { Satellite, SatelliteRequest } from './entities.ts';
import { createGraphStore } from './graph/index.ts';
import { dependencies, queryDependencies } from './routes/graph.ts';
import { integration, mcp } from './routes/queries.ts';
import { clusters, get, list, remove, tools } from './routes/satellites.ts';
import { tokenEndpoints } from './routes/tokens.ts';
import { purgeSatelliteRequests } from './calls/leftovers.ts';
import { integrationsOverSatellites } from './integrations.ts';
import { tokenPepperFrom } from './tokens.ts';

/** By then, every attempt at the tool call has ended. */
const ANSWER_RETENTION_MS = 24 * 3_600_000;

export const satellitesRoom = {
  name: 'satellites',
  endpoints: [list, get, remove, clusters, dependencies, tools, integration, mcp, queryDependencies, ...tokenEndpoints],
  entities: [Satellite, SatelliteRequest],
  scopes: {
    'satellites:read': { allows: 'View satellites and their graph', forMembers: true },
    'satellites:query': { allows: 'Query systems behind satellites', forMembers: true },
    'satellites:act': { allows: 'Call tools that make changes' },
    'satellites:write': { allows: 'Enrol and remove' },
  },
  build(house: RoomCore & { satelliteAccess?: SatelliteAccess }) {
    const access = house.satelliteAccess ?? storedSatellites(house);
    return {
      satelliteSystems: satelliteSystems(access),
      overSatellite: integrationsOverSatellites({ ...house, calls: access.calls }),
      satellites: {
        calls: createSatelliteCalls(house),
        graphs: createGraphStore(house),
        tokenPepper: tokenPepperFrom(house.secretKeys),
      },
    };
  },
  systems: ({ satelliteSystems: load }: { satelliteSystems: LoadSystems }) => load,
  sweeps: [
    ({ orm, events, clock }: RoomCore) =>
      purgeSatelliteRequests(orm, events, new Date(clock.now().getTime() - ANSWER_RETENTION_MS)),
  ],
} satisfies Room;
