/** Every kind of connector. */
import type { ConnectorKind } from '@casebook/wire';
import type { ConnectorKindDefinition } from './connector.ts';
import { http } from './http/index.ts';
import { recorded } from './recorded/index.ts';
import { clickhouse, elasticsearch, kubernetes, opensearch, postgresql } from './stores/index.ts';
import { alertmanager, jaeger, loki, prometheus, tempo } from './telemetry/index.ts';

export const connectorKinds: Record<ConnectorKind, ConnectorKindDefinition> = {
  alertmanager,
  clickhouse,
  elasticsearch,
  http,
  jaeger,
  kubernetes,
  loki,
  opensearch,
  postgresql,
  prometheus,
  recorded,
  tempo,
};
