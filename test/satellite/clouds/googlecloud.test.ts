import assert from 'node:assert/strict';
import { googlecloud, type Connector } from '@casebook/connectors';
import { startGoogleCloudServer, type GoogleCloudServer } from '../../support/google-cloud-server.ts';
import { ask, connectorOf, refused } from '../stores/support.ts';

const START = Date.UTC(2026, 5, 1, 12) / 1000;
const iso = (seconds: number): string => new Date((START + seconds) * 1000).toISOString();
const window = { start: START, end: START + 3_600 };
const range = { from: START, to: START + 3_600 };

/** An entry of Cloud Logging, as GKE's agent writes them. */
function containerEntry(at: number, service: string, severity: string, payload: object): Record<string, unknown> {
  return {
    insertId: `entry-${at}-${service}`,
    logName: 'projects/shop-prod-4711/logs/stdout',
    timestamp: iso(at),
    receiveTimestamp: iso(at + 1),
    severity,
    resource: {
      type: 'k8s_container',
      labels: { project_id: 'shop-prod-4711', namespace_name: 'shop', container_name: 'main' },
    },
    labels: { 'k8s-pod/app': service },
    ...payload,
  };
}

/** An entry of the Admin Activity audit log. */
function auditEntry(at: number, payload: object, more: object = {}): Record<string, unknown> {
  return {
    insertId: `audit-${at}`,
    logName: 'projects/shop-prod-4711/logs/cloudaudit.googleapis.com%2Factivity',
    timestamp: iso(at),
    severity: 'NOTICE',
    resource: { type: 'audited_resource', labels: {} },
    protoPayload: { '@type': 'type.googleapis.com/google.cloud.audit.AuditLog', ...payload },
    ...more,
  };
}

const by = (principalEmail: string) => ({ authenticationInfo: { principalEmail } });
const deployment = 'apps/v1/namespaces/shop/deployments/cart';

const entries = [
  containerEntry(10, 'cart', 'INFO', { textPayload: 'order 1 accepted' }),
  containerEntry(20, 'cart', 'ERROR', { jsonPayload: { message: 'Payment "refused"\nby bank', status: 502 } }),
  containerEntry(30, 'web', 'DEFAULT', { textPayload: 'WARN slow answer' }),
  containerEntry(40, 'web', 'CRITICAL', { jsonPayload: { code: 7 } }),
  containerEntry(50, 'cart', 'WARNING', {
    textPayload: 'retrying',
    trace: `projects/shop-prod-4711/traces/${'a'.repeat(32)}`,
  }),
  {
    insertId: 'request',
    logName: 'projects/shop-prod-4711/logs/run.googleapis.com%2Frequests',
    timestamp: iso(60),
    severity: 'ERROR',
    resource: { type: 'cloud_run_revision', labels: { service_name: 'checkout', revision_name: 'checkout-7' } },
    httpRequest: { requestMethod: 'GET', requestUrl: 'https://shop.example/pay', status: 500, latency: '0.2s' },
  },
  auditEntry(
    100,
    {
      serviceName: 'run.googleapis.com',
      methodName: 'google.cloud.run.v2.Services.UpdateService',
      resourceName: 'projects/shop-prod-4711/locations/europe-west1/services/checkout',
      ...by('dev@shop.example'),
    },
    { operation: { id: 'op-1', first: true } },
  ),
  auditEntry(
    130,
    {
      serviceName: 'run.googleapis.com',
      methodName: 'google.cloud.run.v2.Services.UpdateService',
      resourceName: 'projects/shop-prod-4711/locations/europe-west1/services/checkout',
      ...by('dev@shop.example'),
    },
    { operation: { id: 'op-1', last: true } },
  ),
  auditEntry(200, {
    serviceName: 'k8s.io',
    methodName: 'io.k8s.apps.v1.deployments.scale.patch',
    resourceName: `${deployment}/scale`,
    ...by('ops@shop.example'),
  }),
  auditEntry(210, {
    serviceName: 'k8s.io',
    methodName: 'io.k8s.coordination.v1.leases.update',
    resourceName: 'coordination.k8s.io/v1/namespaces/shop/leases/cart',
    ...by('system:kube-controller-manager'),
  }),
  auditEntry(220, {
    serviceName: 'k8s.io',
    methodName: 'io.k8s.apps.v1.deployments.patch',
    resourceName: deployment,
    status: { code: 7, message: 'forbidden' },
    ...by('dev@shop.example'),
  }),
  auditEntry(230, {
    serviceName: 'cloudresourcemanager.googleapis.com',
    methodName: 'SetIamPolicy',
    resourceName: 'projects/shop-prod-4711',
    ...by('admin@shop.example'),
  }),
];

const seriesOf = (service: string, values: number[]) => ({
  metric: { type: 'run.googleapis.com/request_count', labels: { response_code_class: '5xx' } },
  resource: { type: 'cloud_run_revision', labels: { service_name: service } },
  metricKind: 'GAUGE',
  valueType: 'DOUBLE',
  points: values.map((doubleValue, n) => ({
    interval: { startTime: iso(30 * n), endTime: iso(30 * (n + 1)) },
    value: { doubleValue },
  })),
});

const traceOf = (digit: string, name: string, at: number, ms: number) => ({
  projectId: 'shop-prod-4711',
  traceId: digit.repeat(32),
  spans: [
    {
      spanId: '1',
      name,
      kind: 'RPC_SERVER',
      startTime: iso(at),
      endTime: iso(at + ms / 1000),
      labels: { '/http/status_code': '500', note: 'a "b" \\ c' },
    },
    { spanId: '2', parentSpanId: '1', name: 'SELECT orders', startTime: iso(at), endTime: iso(at) },
  ],
});

describe('satellite connector: googlecloud', () => {
  let server: GoogleCloudServer;
  let connector: Connector;

  before(async () => {
    server = await startGoogleCloudServer();
    Object.assign(server.data, {
      entries,
      descriptors: [
        { type: 'run.googleapis.com/request_count', metricKind: 'DELTA', valueType: 'INT64' },
        { type: 'run.googleapis.com/request_latencies', metricKind: 'DELTA', valueType: 'DISTRIBUTION' },
        { type: 'compute.googleapis.com/instance/cpu/utilization', metricKind: 'GAUGE', valueType: 'DOUBLE' },
      ],
      series: [seriesOf('cart', [1, 3, 5, 7]), seriesOf('web', [10, 10, 10, 10])],
      traces: [traceOf('a', 'GET /pay', 10, 900), traceOf('b', 'GET /pay/"x"', 20, 50), traceOf('c', '/health', 30, 1)],
      errorGroups: ['cart', 'web'].map((service, n) => ({
        group: { name: `projects/shop-prod-4711/groups/${service}`, groupId: service },
        count: String(10 * n + 1),
        affectedServices: [{ service, version: '1' }],
        representative: { message: `Error: ${service} broke` },
      })),
    });
    connector = connectorOf(googlecloud, {
      project_id: server.project,
      service_account: server.key,
      token_url: server.tokenUrl,
      api_url: server.apiUrl,
    });
  });
  after(async () => {
    await connector.close();
    await server.stop();
  });

  const filterSent = (): string => JSON.parse(server.calls('logging').at(-1)!.body).filter;
  const idsOf = (answer: { entries: { insertId: string }[] }): string[] =>
    answer.entries.map(({ insertId }) => insertId);

  describe('log entries', () => {
    for (const [what, query, found] of [
      [
        'severity and resource',
        { severity: 'ERROR', resource_type: 'k8s_container' },
        ['entry-40-web', 'entry-20-cart'],
      ],
      [
        'labels with a slash in their names',
        { labels: { 'k8s-pod/app': 'cart' }, severity: 'ERROR' },
        ['entry-20-cart'],
      ],
      ['labels of the resource', { resource_labels: { service_name: 'checkout' } }, ['request']],
      ['a log with a slash in its name', { log_id: 'run.googleapis.com/requests' }, ['request']],
      ['text in any field', { text: 'RETRYING' }, ['entry-50-cart']],
      ['text with quotes and line ends', { text: 'Payment "refused"\nby' }, ['entry-20-cart']],
      ['a trace', { trace_id: 'a'.repeat(32) }, ['entry-50-cart']],
      ['a filter', { filter: 'jsonPayload.status >= 500 OR jsonPayload.code = 7', text: 'bank' }, ['entry-20-cart']],
      ['its order', { order: 'oldest', labels: { 'k8s-pod/app': 'web' } }, ['entry-30-web', 'entry-40-web']],
    ] as const) {
      it(`are found by ${what}`, async () => {
        assert.deepEqual(idsOf(await ask(connector, 'log_entries', { ...window, ...query })), found);
      });
    }

    it('are read page by page, past empty pages', async () => {
      server.data.emptyPages = 2;
      const query = { ...window, log_id: 'stdout', limit: 2 };
      const first = await ask(connector, 'log_entries', query);
      assert.deepEqual(idsOf(first), ['entry-50-cart', 'entry-40-web']);
      const second = await ask(connector, 'log_entries', { ...query, page_token: first.nextPageToken });
      assert.deepEqual(idsOf(second), ['entry-30-web', 'entry-20-cart']);
      const third = await ask(connector, 'log_entries', { ...query, page_token: second.nextPageToken });
      assert.deepEqual([idsOf(third), third.nextPageToken], [['entry-10-cart'], undefined]);
    });

    it('that take long to find leave the token to go on with', async () => {
      server.data.emptyPages = 50;
      const answer = await ask(connector, 'log_entries', window);
      assert.ok(server.data.emptyPages > 40, 'it gave up early');
      server.data.emptyPages = 0;
      assert.deepEqual(answer.entries, []);
      assert.equal(typeof answer.nextPageToken, 'string');
    });

    for (const [what, value] of Object.entries({
      'a quote': 'x" OR severity >= DEFAULT OR textPayload : "',
      'a line end': 'x"\nOR NOT resource.type = "x',
      'a backslash before a quote': String.raw`\" OR NOT severity = "x`,
      'a lone surrogate': 'x\ud800" OR severity >= "',
    })) {
      it(`stay within a condition with ${what}`, async () => {
        for (const query of [
          { text: value },
          { log_id: value },
          { resource_type: value },
          { labels: { [value]: value } },
          { resource_labels: { [value]: 'x' } },
        ])
          assert.deepEqual(await ask(connector, 'log_entries', { ...window, ...query }), { entries: [] });
        assert.deepEqual((await ask(connector, 'search_logs', { ...range, service: value })).lines, []);
        for (const query of [{ resource: value }, { api: value }, { method: value }, { author: value }])
          assert.deepEqual((await ask(connector, 'audit_changes', { ...window, ...query })).changes, []);
      });
    }

    for (const filter of [
      'severity = INFO) OR (severity >= DEFAULT',
      '(severity = INFO',
      'textPayload : "x) OR (severity >= DEFAULT',
      'severity = INFO -- ) OR (',
      String.raw`textPayload = x\" ) OR ("`,
      "textPayload = ') OR ('",
    ]) {
      it(`refuse a filter that would leave its parentheses: ${filter}`, async () => {
        const before = server.requests.length;
        await refused(ask(connector, 'log_entries', { ...window, filter }), 'bad_request', /double quotes|parentheses/);
        assert.equal(server.requests.length, before);
      });
    }

    it('keep the time range whatever a filter says', async () => {
      const brief = { start: START + 15, end: START + 25 };
      assert.deepEqual(idsOf(await ask(connector, 'log_entries', { ...brief, filter: 'severity >= DEFAULT' })), [
        'entry-20-cart',
      ]);
      assert.match(filterSent(), /AND \(severity >= DEFAULT\)$/);
    });

    it("refuse what Google's language refuses, with Google's words", async () => {
      await refused(
        ask(connector, 'log_entries', { ...window, filter: 'severity >=' }),
        'bad_request',
        /INVALID_ARGUMENT: Unparseable filter: syntax error/,
      );
      await refused(
        ask(connector, 'log_entries', { start: START, end: START }),
        'bad_request',
        /ends before it starts/,
      );
    });
  });

  it('searches lines in order of time, with service, level and message', async () => {
    const { lines, truncated } = await ask(connector, 'search_logs', range);
    assert.equal(truncated, false);
    assert.deepEqual(lines, [
      { at: START + 10, service: 'cart', level: 'info', message: 'order 1 accepted' },
      { at: START + 20, service: 'cart', level: 'error', message: 'Payment "refused"\nby bank' },
      { at: START + 30, service: 'web', level: 'warn', message: 'WARN slow answer' },
      { at: START + 40, service: 'web', level: 'error', message: '{"code":7}' },
      { at: START + 50, service: 'cart', level: 'warn', message: 'retrying' },
      { at: START + 60, service: 'checkout', level: 'error', message: 'GET https://shop.example/pay 500 0.2s' },
    ]);
  });

  it('searches lines of a service, a level and a text, the newest ones', async () => {
    const messages = async (query: object): Promise<[string[], boolean]> => {
      const { lines, truncated } = await ask(connector, 'search_logs', { ...range, ...query });
      return [lines.map(({ message }: { message: string }) => message), truncated];
    };
    assert.deepEqual(await messages({ service: 'cart', limit: 2 }), [['Payment "refused"\nby bank', 'retrying'], true]);
    assert.deepEqual(await messages({ level: 'warn' }), [['retrying'], false]);
    assert.deepEqual(await messages({ service: 'web', level: 'error' }), [['{"code":7}'], false]);
    assert.deepEqual(await messages({ text: 'ORDER 1' }), [['order 1 accepted'], false]);
    // The container's name is a service's only where nothing better says so.
    assert.deepEqual(await messages({ service: 'main' }), [[], false]);
  });

  it('returns what fits when a later page of lines is too large', async () => {
    server.next('logging', { status: 200, body: { entries: entries.slice(0, 1), nextPageToken: 'next' } }, 'huge');
    const bounded = { maxBytes: 700 };
    const { lines, truncated } = await ask(connector, 'search_logs', { ...range, limit: 5 }, bounded);
    assert.deepEqual([lines.length, truncated], [1, true]);
  });

  it('lists changes that succeeded, once each, without those of controllers', async () => {
    const { changes, truncated } = await ask(connector, 'changes', range);
    assert.equal(truncated, false);
    const [deploy] = changes;
    assert.deepEqual(
      changes.map(({ at, service, kind, author }: Record<string, unknown>) => [at, service, kind, author]),
      [
        [START + 100, 'checkout', 'deploy', 'dev@shop.example'],
        [START + 200, 'cart', 'scale', 'ops@shop.example'],
        [START + 230, undefined, 'permission', 'admin@shop.example'],
      ],
    );
    assert.equal(deploy.id, `audit-100@${iso(100)}`);
    assert.match(deploy.summary, /UpdateService on projects\/shop-prod-4711\/.*\/services\/checkout$/);
    const url = new URL(deploy.url);
    assert.equal(url.host, 'console.cloud.google.com');
    assert.equal(url.searchParams.get('project'), server.project);
    assert.match(decodeURIComponent(url.pathname), /insertId="audit-100"/);

    const ofCart = await ask(connector, 'changes', { ...range, service: 'cart' });
    assert.deepEqual(
      ofCart.changes.map(({ at }: { at: number }) => at),
      [START + 200],
    );
    const newest = await ask(connector, 'changes', { ...range, limit: 1 });
    assert.deepEqual([newest.changes[0].at, newest.changes.length], [START + 230, 1]);
  });

  it('finds audited changes by API, method, author and resource, failed ones on request', async () => {
    const times = async (query: Record<string, unknown>): Promise<number[]> =>
      (await ask(connector, 'audit_changes', { ...window, ...query })).changes.map(
        ({ at }: { at: number }) => at - START,
      );
    assert.deepEqual(await times({}), [230, 200, 100]);
    assert.deepEqual(await times({ include_failed: true }), [230, 220, 200, 100]);
    assert.deepEqual(await times({ api: 'k8s.io' }), [200]);
    assert.deepEqual(await times({ method: 'SetIam' }), [230]);
    assert.deepEqual(await times({ author: 'dev@shop.example' }), [100]);
    assert.deepEqual(await times({ resource: 'cart', include_failed: true }), [220, 200]);
    const [failed] = (await ask(connector, 'audit_changes', { ...window, resource: 'cart', include_failed: true }))
      .changes;
    assert.match(failed.summary, /\(failed: forbidden\)$/);
    assert.equal(failed.method, 'io.k8s.apps.v1.deployments.patch');
  });

  describe('time series', () => {
    const metric = 'run.googleapis.com/request_count';

    it('are read with their labels and points', async () => {
      const { timeSeries } = await ask(connector, 'time_series', {
        ...window,
        metric,
        resource_labels: { service_name: 'cart' },
        metric_labels: { response_code_class: '5xx' },
      });
      assert.equal(timeSeries.length, 1);
      assert.deepEqual(
        timeSeries[0].points.map(({ value }: { value: { doubleValue: number } }) => value.doubleValue),
        [1, 3, 5, 7],
      );
    });

    it('are aligned, reduced and grouped', async () => {
      const { timeSeries } = await ask(connector, 'time_series', {
        start: START,
        end: START + 120,
        metric,
        aligner: 'ALIGN_SUM',
        period_seconds: 60,
        reducer: 'REDUCE_SUM',
        group_by: ['resource.labels.service_name'],
      });
      assert.deepEqual(
        timeSeries.map((one: { resource: { labels: object }; points: { value: object }[] }) => [
          one.resource.labels,
          one.points.map(({ value }) => value),
        ]),
        [
          [{ service_name: 'cart' }, [{ doubleValue: 12 }, { doubleValue: 4 }]],
          [{ service_name: 'web' }, [{ doubleValue: 20 }, { doubleValue: 20 }]],
        ],
      );
    });

    it('need an aligner with a period, and a reducer for groups', async () => {
      const bad = (query: object, words: RegExp) =>
        refused(ask(connector, 'time_series', { ...window, metric, ...query }), 'bad_request', words);
      await bad({ aligner: 'ALIGN_MEAN' }, /go together/);
      await bad({ period_seconds: 60 }, /go together/);
      await bad({ reducer: 'REDUCE_SUM' }, /needs an aligner/);
      await bad({ group_by: ['resource.labels.x'], aligner: 'ALIGN_SUM', period_seconds: 60 }, /needs a reducer/);
      await bad({ end: START }, /end must be after start/);
    });

    it('keep a value within its condition', async () => {
      const before = server.calls('monitoring').length;
      const answer = await ask(connector, 'time_series', {
        ...window,
        metric,
        resource_type: 'x" OR metric.type = "run.googleapis.com/request_count',
        resource_labels: { service_name: 'x"\nOR resource.labels.service_name != "' },
      });
      assert.deepEqual(answer, {});
      assert.equal(server.calls('monitoring').length, before + 1);
      await assert.rejects(ask(connector, 'time_series', { ...window, metric: 'a" OR metric.type = "b' }));
      await assert.rejects(
        ask(connector, 'time_series', { ...window, metric, metric_labels: { 'a = "b" OR c': 'd' } }),
      );
      await assert.rejects(ask(connector, 'time_series', { ...window, metric, group_by: ['1 OR 1'] }));
    });

    it('have descriptors, by the beginning and part of a type', async () => {
      const types = async (query: Record<string, unknown>): Promise<string[]> =>
        ((await ask(connector, 'metric_descriptors', query)).metricDescriptors ?? []).map(
          ({ type }: { type: string }) => type,
        );
      assert.equal((await types({})).length, 3);
      assert.deepEqual(await types({ prefix: 'run.googleapis.com/', contains: 'latenc' }), [
        'run.googleapis.com/request_latencies',
      ]);
      assert.deepEqual(await types({ contains: '") OR metric.type = starts_with("' }), []);
    });
  });

  describe('traces', () => {
    const ids = async (query: object): Promise<string[]> =>
      ((await ask(connector, 'traces', { ...window, ...query })).traces ?? []).map(
        ({ traceId }: { traceId: string }) => traceId[0],
      );

    it('are found by names, labels and latency, in an order', async () => {
      assert.deepEqual(await ids({}), ['c', 'b', 'a']);
      assert.deepEqual(await ids({ order: 'slowest', limit: 2 }), ['a', 'b']);
      assert.deepEqual(await ids({ root: 'GET /pay' }), ['b', 'a']);
      assert.deepEqual(await ids({ root: 'GET /pay', exact: true }), ['a']);
      assert.deepEqual(await ids({ span: 'SELECT', min_latency_ms: 100 }), ['a']);
      assert.deepEqual(await ids({ labels: { '/http/status_code': '5' }, order: 'oldest' }), ['a', 'b', 'c']);
      assert.deepEqual(await ids({ labels: { note: String.raw`a "b" \ c` }, root: 'GET /pay/"x"' }), ['b']);
    });

    it('come with the root span only, and one whole', async () => {
      const { traces } = await ask(connector, 'traces', { ...window, root: '/health' });
      assert.equal(traces[0].spans.length, 1);
      assert.equal((await ask(connector, 'trace', { trace_id: 'C'.repeat(32) })).spans.length, 2);
      await refused(ask(connector, 'trace', { trace_id: 'd'.repeat(32) }), 'not_found', /NOT_FOUND/);
    });

    it('keep a value within its term', async () => {
      assert.deepEqual(await ids({ root: 'x" latency:0ms root:"' }), []);
      assert.deepEqual(await ids({ root: '\\' }), []);
      for (const query of [{ root: 'a\nb' }, { labels: { 'a:b root': 'x' } }, { labels: { note: 'a\u0000' } }])
        await assert.rejects(ids(query));
    });
  });

  it('lists error groups of a period and a service', async () => {
    const counts = async (query: Record<string, unknown>): Promise<string[]> =>
      ((await ask(connector, 'error_groups', query)).errorGroupStats ?? []).map(
        ({ count }: { count: string }) => count,
      );
    assert.deepEqual(await counts({}), ['11', '1']);
    assert.deepEqual(await counts({ service: 'cart', period: '1h' }), ['1']);
    assert.deepEqual(await counts({ group_ids: ['web', 'none'] }), ['11']);
    assert.deepEqual(await counts({ service: 'cart&timeRange.period=x' }), []);
  });

  it('offers a model what it can use, and the sources the rest', () => {
    const named = (tool: boolean) => connector.operations.filter((one) => one.tool === tool).map(({ name }) => name);
    assert.deepEqual(named(true), [
      'log_entries',
      'time_series',
      'metric_descriptors',
      'traces',
      'trace',
      'error_groups',
      'audit_changes',
    ]);
    assert.deepEqual(named(false), ['search_logs', 'changes', 'test_connection']);
  });
});
