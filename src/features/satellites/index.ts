/** Satellites: agents in customers' networks, and what can be asked through them. */
import type { Room } from '../../room.ts';
import { Satellite, SatelliteRequest, SatelliteToken } from './entities.ts';
import { dependencies, queryDependencies } from './routes/graph.ts';
import { integration, mcp } from './routes/queries.ts';
import { clusters, get, list, remove, tools } from './routes/satellites.ts';
import { tokenEndpoints } from './routes/tokens.ts';

export { createSatelliteCalls } from './calls/calls.ts';
export { createSatelliteGateway } from './gateway/gateway.ts';
export { createAdmission } from './gateway/upgrade.ts';
export { createGraphStore } from './graph/index.ts';
export { registerSatelliteMetrics } from './metrics.ts';
export type { SatelliteDeps } from './routes/deps.ts';
export { purgeSatelliteRequests } from './sweeper.ts';
export { tokenPepperFrom } from './tokens.ts';

export const satellitesRoom = {
  name: 'satellites',
  endpoints: [list, get, remove, clusters, dependencies, tools, integration, mcp, queryDependencies, ...tokenEndpoints],
  entities: [Satellite, SatelliteRequest, SatelliteToken],
} satisfies Room;
