/** The satellite's configuration. */
export { loadConfig, parseConfig, type SatelliteConfig, ConfigError } from './load.ts';
