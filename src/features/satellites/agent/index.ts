/** Satellites as the agent loop has them: telemetry sources, and tools. */
export type { KnownSatellite, LoadGraph, LoadSatellites, SatelliteAccess } from './port.ts';
export { createAgentSatellites, type AgentSatellites } from './team.ts';
export { storedSatellites } from './stored.ts';
