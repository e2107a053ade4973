/** Satellites in the agent loop: telemetry sources and tools. */
export type { KnownSatellite, SatelliteAccess } from './port.ts';
export { satelliteSystems } from './team.ts';
export { storedSatellites } from './stored.ts';
