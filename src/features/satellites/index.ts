/** Satellites: agents in customers' networks, and the systems they make reachable. */

export { createSatelliteCalls } from './calls/calls.ts';
export { createSatelliteGateway } from './gateway/gateway.ts';
export { createAdmission } from './gateway/upgrade.ts';
export { createGraphStore } from './graph/index.ts';
export { registerSatelliteMetrics } from './metrics.ts';
export type { SatelliteDeps } from './routes/deps.ts';
export { purgeSatelliteRequests } from './sweeper.ts';
export { tokenPepperFrom } from './tokens.ts';
export { satellitesRoom } from './room.ts';
