import { apiKeyVia } from '../../../http/authenticate.ts';
import type { ApiDeps } from '../../../http/deps.ts';
import { endpointFor } from '../../../http/endpoint.ts';
import { MAX_ALERTS } from '../triggers/port.ts';
import { MonitorRequest } from '../triggers/recognise.ts';
import { MonitorHeaders, MonitorQuery, MonitorResponse } from '../triggers/schemas.ts';
import { receiveTrigger, type TriggerServiceDeps } from '../triggers/service.ts';
import { DATADOG_PAYLOAD } from '../triggers/parsers/datadog.ts';
import { tags, TRIGGER } from './deps.ts';

interface TriggerDeps extends ApiDeps {
  monitoring: TriggerServiceDeps;
}

const description = `For tools that send webhooks: have them send the header \`Authorization: Bearer API_KEY\`. The format of the body is recognised; it is one of these:

- Prometheus Alertmanager, with this receiver:

\`\`\`yaml
webhook_configs:
  - url: https://casebook.example.org/api/monitor
    max_alerts: ${MAX_ALERTS}
    http_config: { authorization: { type: Bearer, credentials: API_KEY } }
\`\`\`

- Grafana Alerting: a contact point of the kind webhook.
- PagerDuty: a webhook subscription (version 3). \`incident.triggered\`, \`incident.reopened\` and \`incident.resolved\` count, other events are ignored.
- Datadog: a webhook with this payload (its default payload is understood as well):

\`\`\`json
${JSON.stringify(DATADOG_PAYLOAD, null, 2)}
\`\`\`

- Our own: \`{"type": "alert", "title": …}\`, \`{"type": "deploy", "service": …}\`, \`{"type": "check_now"}\`.
- Any other object with a title or a text: an alert.

A firing alert becomes a finding, and is investigated. A repeated alert, recognised by its fingerprint, is the same finding; a resolved one ends it. With \`chat_id\` it is reported to that agent's channel, and the agent's checks run as well. An alert with the label \`severity: none\` (Watchdog) is ignored. At most ${MAX_ALERTS} alerts of one request are accepted, firing ones first.

A deploy has the checks of active agents run now; reported again within ten minutes (by its fingerprint: service, version and environment unless given) it is the same. Repeating a request that was answered with 503 is harmless.`;

export const trigger = endpointFor<TriggerDeps>()({
  method: 'post',
  path: '/api/monitor',
  operationId: 'triggerMonitoring',
  summary: 'Report an alert or a deploy, or run checks now',
  description,
  tags,
  auth: apiKeyVia('bearer', TRIGGER),
  query: MonitorQuery,
  headers: MonitorHeaders,
  body: MonitorRequest,
  // Alertmanager sends all alerts of a group in one request: up to a megabyte.
  bodyLimitNodes: 50_000,
  response: MonitorResponse,
  errors: [404, 409],
  handler: async ({ body, query, headers, principal, deps, em, signal }) => {
    const idempotencyKey = headers['idempotency-key'];
    const request = { ...principal, agentId: query.chat_id, idempotencyKey, signal };
    return receiveTrigger(deps.monitoring, em, request, body);
  },
});
