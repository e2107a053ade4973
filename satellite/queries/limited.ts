/** Creates the configured connectors. */
import type { SatelliteConfig } from '../config/index.ts';
import type { Log } from '../log.ts';
import type { LimitedConnector } from './dispatch.ts';

/** Opens nothing: the connector's check detects a system that is down. */
export function connectAll({ connectors, limits }: SatelliteConfig, log: Log): LimitedConnector[] {
  return connectors.map(({ id, title, timeoutSeconds, maxAnswerBytes, create }) => ({
    connector: create({ id, title, log }),
    timeoutMs: (timeoutSeconds ?? limits.query_timeout_seconds) * 1_000,
    maxBytes: maxAnswerBytes ?? limits.max_answer_bytes,
  }));
}
