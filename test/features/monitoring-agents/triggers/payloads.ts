/** What tools send, as their documentation and the tools themselves have it; made for these tests. */

/** Prometheus Alertmanager 0.28, `webhook_configs`. */
export const alertmanager = (changes: Record<string, unknown> = {}) => ({
  receiver: 'casebook',
  status: 'firing',
  alerts: [
    {
      status: 'firing',
      labels: {
        alertname: 'HighErrorRate',
        env: 'prod',
        instance: '10.2.3.4:9090',
        job: 'shop/checkout',
        service: 'checkout',
        severity: 'critical',
      },
      annotations: {
        description: '7.4 % of the requests to checkout fail (usual are 0.1 %).',
        summary: 'checkout answers with errors',
        runbook_url: 'https://runbooks.example.org/checkout',
      },
      startsAt: '2026-03-04T05:06:07.089Z',
      endsAt: '0001-01-01T00:00:00Z',
      generatorURL: 'http://prometheus.example.org:9090/graph?g0.expr=up&g0.tab=1',
      fingerprint: 'c6eadffa33fcdf37',
    },
    {
      status: 'resolved',
      labels: { alertname: 'PodRestarts', namespace: 'shop', pod: 'cart-6c5d-x2x', severity: 'warning' },
      annotations: {},
      startsAt: '2026-03-04T04:00:00Z',
      endsAt: '2026-03-04T05:00:00Z',
      generatorURL: '',
      fingerprint: '00aa11bb22cc33dd',
    },
  ],
  groupLabels: { env: 'prod' },
  commonLabels: { env: 'prod' },
  commonAnnotations: {},
  externalURL: 'http://alertmanager.example.org:9093',
  version: '4',
  groupKey: '{}:{env="prod"}',
  truncatedAlerts: 0,
  ...changes,
});

/** Grafana 11, contact point of the kind webhook. */
export const grafana = (changes: Record<string, unknown> = {}) => ({
  receiver: 'Casebook',
  status: 'firing',
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'Queue is growing', grafana_folder: 'Shop', app: 'orders', priority: 'P3' },
      annotations: { summary: 'The queue of orders grows for ten minutes' },
      startsAt: '2026-03-04T07:06:07+02:00',
      endsAt: '0001-01-01T00:00:00Z',
      generatorURL: 'https://grafana.example.org/alerting/grafana/abc123/view?orgId=1',
      fingerprint: 'bc97ff14869b13e3',
      silenceURL: 'https://grafana.example.org/alerting/silence/new?alertmanager=grafana',
      dashboardURL: 'https://grafana.example.org/d/shop',
      panelURL: 'https://grafana.example.org/d/shop?viewPanel=4',
      values: { A: 1532, B: 1 },
      valueString: "[ var='A' labels={app=orders} value=1532 ], [ var='B' labels={app=orders} value=1 ]",
    },
  ],
  groupLabels: { alertname: 'Queue is growing' },
  commonLabels: { alertname: 'Queue is growing', app: 'orders' },
  commonAnnotations: {},
  externalURL: 'https://grafana.example.org/',
  version: '1',
  groupKey: '{}:{alertname="Queue is growing"}',
  truncatedAlerts: 0,
  orgId: 1,
  title: '[FIRING:1] Queue is growing Shop (orders P3)',
  state: 'alerting',
  message: '**Firing**\n\nValue: A=1532, B=1\n',
  ...changes,
});

/** PagerDuty, webhook subscription version 3. */
export const pagerduty = (type = 'incident.triggered', changes: Record<string, unknown> = {}) => ({
  event: {
    id: '01CH754SM17TWPE2V2H4VPBRO7',
    event_type: type,
    resource_type: 'incident',
    occurred_at: '2026-03-04T05:10:00.123Z',
    agent: { html_url: 'https://example.pagerduty.com/users/PLH1HKV', id: 'PLH1HKV', type: 'user_reference' },
    client: { name: 'PagerDuty' },
    data: {
      id: 'PGR0VU2',
      type: 'incident',
      self: 'https://api.pagerduty.com/incidents/PGR0VU2',
      html_url: 'https://example.pagerduty.com/incidents/PGR0VU2',
      number: 2,
      status: 'triggered',
      incident_key: 'd3640fbd41094207a1c11e58e46b1662',
      created_at: '2026-03-04T05:09:15Z',
      title: 'Payments are declined',
      service: {
        html_url: 'https://example.pagerduty.com/services/PF9KMXH',
        id: 'PF9KMXH',
        summary: 'payment',
        type: 'service_reference',
      },
      assignees: [],
      escalation_policy: { id: 'PUS0KTE', summary: 'Default', type: 'escalation_policy_reference' },
      teams: [],
      priority: { id: 'PSO75BM', summary: 'P1', type: 'priority_reference' },
      urgency: 'high',
      conference_bridge: null,
      resolve_reason: null,
      ...changes,
    },
  },
});

/** Datadog, with the payload that the description of the endpoint gives: a template makes texts of everything. */
export const datadog = (changes: Record<string, unknown> = {}) => ({
  alert_id: '135792468',
  alert_title: 'p95 latency of {{service.name}} is high',
  alert_transition: 'Triggered',
  alert_type: 'error',
  alert_priority: 'P2',
  alert_scope: 'env:prod,service:checkout',
  alert_status: 'avg(last_5m):p95:trace.http.request{service:checkout} was > 1.5',
  aggreg_key: '9bd4ac313a4d1e8fae2482df7b776289',
  title: '[P2] [Triggered on {env:prod,service:checkout}] p95 latency is high',
  body: '%%%\nLatency of checkout is 1.9 s.\n%%%',
  tags: 'env:prod,monitor,service:checkout,team:shop',
  date: '1772600767000',
  link: 'https://app.datadoghq.com/monitors/135792468?group=service%3Acheckout',
  snapshot: 'null',
  ...changes,
});

/** Datadog's own payload, where none was given. */
export const datadogDefault = (title: string) => ({
  id: '7654321098765432100',
  last_updated: '1772600767000',
  event_type: 'query_alert_monitor',
  title,
  date: '1772600767000',
  org: { id: '12345', name: 'Shop' },
  body: 'Disk usage is 97 %.',
});
