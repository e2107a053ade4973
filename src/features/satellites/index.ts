/** Satellites: agents in customers' networks, and the systems they make reachable. */

export { createSatelliteCalls } from './calls/calls.ts';
export { createSatelliteGateway } from './gateway/gateway.ts';
export { createAdmission } from './gateway/upgrade.ts';
export { createGraphStore } from './graph/index.ts';
export { registerSatelliteMetrics } from './gateway/metrics.ts';
export type { SatelliteDeps } from './routes/deps.ts';
export { purgeSatelliteRequests } from './calls/leftovers.ts';
export { tokenPepperFrom } from './tokens.ts';
export { satellitesRoom } from './room.ts';
