/** The satellite's configuration. */
export type { ConfiguredConnector, ConnectorKinds } from './connectors.ts';
export { loadConfig, parseConfig, type SatelliteConfig } from './load.ts';
export { ConfigError } from './problems.ts';
