/**
 * Queries telemetry systems, from the server itself or from a satellite on its behalf. One folder per vendor.
 * Read-only.
 */
import type { ConnectorKind } from '@casebook/wire';
import { alertmanager } from './alertmanager/index.ts';
import { azuremonitor } from './azuremonitor/index.ts';
import { clickhouse, clickhouseUrl } from './clickhouse/index.ts';
import { cloudflare } from './cloudflare/index.ts';
import type { ConnectorKindDefinition } from './connector.ts';
import { elasticsearch } from './elasticsearch/index.ts';
import { gitea } from './gitea/index.ts';
import { github } from './github/index.ts';
import { gitlab } from './gitlab/index.ts';
import { googlecloud } from './googlecloud/index.ts';
import { http } from './http/index.ts';
import { jaeger } from './jaeger/index.ts';
import { kubernetes } from './kubernetes/index.ts';
import { loki } from './loki/index.ts';
import { newrelic } from './newrelic/index.ts';
import { opensearch } from './opensearch/index.ts';
import { postgresql } from './postgresql/index.ts';
import { prometheus } from './prometheus/index.ts';
import { recorded } from './recorded/index.ts';
import { tempo } from './tempo/index.ts';

export * from './connector.ts';
export * from './log-level.ts';
export * from './transport.ts';
export * from './shared/code-host/port.ts';
export { deliveryOf, readWebhook, verifyWebhook, type WebhookHeaders } from './shared/code-host/webhooks.ts';
export { openCodeHost } from './code-hosts.ts';
export { GITLAB_URL } from './gitlab/index.ts';
export type { CodeHostOptions } from './shared/code-host/connector.ts';
export type { TraceSpan } from './shared/traces/index.ts';
export { headers, headerSecret } from './shared/header-values.ts';
export { GOOGLE_ERROR_REPORTING_SCOPES, GOOGLE_READING_SCOPES } from './googlecloud/index.ts';
export {
  alertmanager,
  azuremonitor,
  clickhouse,
  clickhouseUrl,
  cloudflare,
  elasticsearch,
  gitea,
  github,
  gitlab,
  googlecloud,
  http,
  jaeger,
  kubernetes,
  loki,
  newrelic,
  opensearch,
  postgresql,
  prometheus,
  recorded,
  tempo,
};

/** Every kind of connector. */
export const connectorKinds: Record<ConnectorKind, ConnectorKindDefinition> = {
  alertmanager,
  azuremonitor,
  clickhouse,
  cloudflare,
  elasticsearch,
  gitea,
  github,
  gitlab,
  googlecloud,
  http,
  jaeger,
  kubernetes,
  loki,
  newrelic,
  opensearch,
  postgresql,
  prometheus,
  recorded,
  tempo,
};
