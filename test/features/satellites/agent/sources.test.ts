import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { systemClock } from '../../../../src/platform/clock.ts';
import { z } from 'zod';
import { jaeger, loki, prometheus } from '@casebook/connectors';
import { createLog } from '../../../../satellite/log.ts';
import { connectSystems } from '../../../../src/features/tools/index.ts';
import { satelliteSystems } from '../../../../src/features/satellites/agent/index.ts';
import { SatelliteRefused } from '../../../../src/features/satellites/calls/port.ts';
import { SourceError, type LiveGraph, type SourceCatalog } from '../../../../src/features/sources/index.ts';
import { createToolRegistry, sharedTools } from '../../../../src/features/tools/index.ts';
import type { ListSourcesResult, ServiceDependenciesResult } from '../../../../src/features/tools/results.ts';
import { catalogOf, sampleIncident } from '../../../support/telemetry-source.ts';
import { toolContext } from '../../../support/tool-context.ts';
import { connector, fakeSatellites, LAST_SEEN, satellite, type Answers, type FakeSatellite } from './support.ts';

const NOW = 1_772_368_200;
const signal = new AbortController().signal;
const connectors = [
  connector('logs', 'loki'),
  connector('prometheus', 'prometheus'),
  connector('traces', 'jaeger', { name: 'search_traces' }),
  connector('old-traces', 'tempo', { name: 'search' }),
  connector('db', 'postgresql'),
];
const shop = (more: Partial<FakeSatellite> = {}) =>
  satellite('shop', { inventory: { connectors, tools: [] }, ...more });

/** What Prometheus and Loki would say, in the form of the operations of the satellite's connectors. */
const canned: Record<string, unknown> = {
  'prometheus alerts': {
    alerts: [
      {
        labels: { alertname: 'WebSlow', service: 'web' },
        annotations: { summary: 'slow' },
        state: 'firing',
        activeAt: '2026-03-01T12:00:00Z',
      },
    ],
  },
  'prometheus targets': { activeTargets: [{ scrapeInterval: '15s' }] },
  'prometheus labels': ['service'],
  'prometheus label_values': ['http_requests_total'],
  'prometheus metadata': { http_requests_total: [{ type: 'counter', help: 'Requests' }] },
  'prometheus query': {
    resultType: 'vector',
    result: [{ metric: { __name__: 'http_requests_total', service: 'web' }, value: [NOW, '1'] }],
  },
  'prometheus query_range': {
    resultType: 'matrix',
    result: [{ metric: { service: 'web' }, values: [[NOW - 60, '2.5']] }],
  },
  'traces traced_services': ['cart', 'web'],
  'traces search_traces': { traces: [], truncated: false },
  'traces trace_spans': [
    { trace_id: 'a1', span_id: 'b1', service: 'web', operation: 'GET /', start: NOW, duration_ms: 12 },
  ],
  'traces sample_spans': { spans: [], sampled: false },
  'logs labels': ['app'],
  'logs series': [{ app: 'web' }],
  'logs query_range': {
    resultType: 'streams',
    result: [{ stream: { app: 'web' }, values: [[`${NOW}000000000`, 'error: boom']] }],
  },
};
/** Answers what a connector of the satellite would be asked in just this way: its own schemas check the parameters. */
const likeConnectors: Answers = (_satellite, target) => {
  assert.equal(target.kind, 'connector');
  if (target.kind !== 'connector') return undefined;
  const kind = { logs: loki, traces: jaeger }[target.connector] ?? prometheus;
  const options = { id: target.connector, title: '', log: createLog('silent') };
  const { operations } = kind.create({ url: 'http://127.0.0.1:9' }, options);
  const operation = operations.find(({ name }) => name === target.operation);
  assert.ok(operation, target.operation);
  z.parse(operation.parameters, JSON.parse(JSON.stringify(target.parameters)));
  return canned[`${target.connector} ${target.operation}`];
};

const graph: LiveGraph = {
  asOf: NOW,
  edges: [
    { caller: 'web', callee: 'cart', callsPerSecond: 3, errorRatio: 0.25, p95Seconds: 0.5, stale: false },
    { caller: 'cart', callee: 'db', stale: true },
  ],
  truncated: false,
};

function setUp(
  teams: Record<string, FakeSatellite[]>,
  answers = likeConnectors,
  graphs: Record<string, LiveGraph> = {},
) {
  const access = fakeSatellites(teams, answers, graphs);
  const agent = connectSystems([satelliteSystems(access)], { own: catalogOf(sampleIncident()), reserved: [] });
  const sources = (teamId = 'team', toolCallId: string = randomUUID()) =>
    agent.sources({ teamId, toolCallId, clock: systemClock });
  return { access, sources };
}
const ids = (catalog: SourceCatalog) => catalog.list().map(({ id }) => id);
const tools = createToolRegistry(sharedTools);
const call = async <Result>(name: string, input: object, sources: SourceCatalog): Promise<Result> =>
  JSON.parse(String((await tools.invoke(name, input, toolContext({ sources }))).content)) as Result;

describe('sources over satellites', () => {
  it('are those of the installation and those of the team: metrics, logs, traces, graph', async () => {
    const { sources } = setUp({
      team: [satellite('zoo', { hasGraph: true }), shop()],
      other: [satellite('theirs', { inventory: { connectors, tools: [] } })],
    });
    assert.deepEqual(ids(await sources()), [
      'shop',
      'satellite:shop/prometheus',
      'satellite:shop/logs',
      'satellite:shop/traces',
      'satellite:zoo/graph',
    ]);
    assert.deepEqual(ids(await sources('other')), [
      'shop',
      'satellite:theirs/prometheus',
      'satellite:theirs/logs',
      'satellite:theirs/traces',
    ]);
    assert.deepEqual(ids(await sources('nobody')), ['shop']);
    const theirs = await sources('other');
    assert.throws(() => theirs.get('satellite:shop/prometheus'), /there is no source "satellite:shop\/prometheus"/);
  });

  it('of another team answer nothing even when their satellite is named @never-forgiven', async () => {
    const mine = shop();
    const access = fakeSatellites({ team: [mine], other: [] }, likeConnectors);
    // The rows of one team, asked for by another: what a mistake elsewhere would look like.
    const agent = connectSystems([satelliteSystems({ ...access, load: async () => [mine] })], {
      own: catalogOf(),
      reserved: [],
    });
    const stolen = (await agent.sources({ teamId: 'other', toolCallId: randomUUID(), clock: systemClock })).get(
      'satellite:shop/prometheus',
    );
    await assert.rejects(stolen.describe({ signal }), /Satellite not found/);
  });

  it('ask the operations that connectors have: metrics', async () => {
    const { sources } = setUp({ team: [shop()] });
    const source = (await sources()).get('satellite:shop/prometheus');
    const description = await source.describe({ signal });
    assert.equal(description.title, 'Prometheus at satellite shop (prometheus)');
    assert.deepEqual(
      description.alerts.map(({ name, service }) => [name, service]),
      [['WebSlow', 'web']],
    );
    assert.deepEqual(
      await source.services!({ signal }),
      [
        { name: 'web', metrics: 1 },
        { name: 'http_requests_total', metrics: 0 },
      ].sort((a, b) => (a.name < b.name ? -1 : 1)),
    );
    const window = { from: NOW - 600, to: NOW };
    const [series] = await source.promql!({ expr: 'up', maxPoints: 10, ...window }, { signal });
    assert.deepEqual(series, { labels: { service: 'web' }, timestamps: [NOW - 60], values: [2.5] });
    assert.equal(
      (await source.searchMetrics!({ text: 'requests', limit: 5 }, { signal }))[0]!.metric,
      'http_requests_total',
    );
    assert.ok((await source.surveyMetrics!({ ...window, maxPoints: 10 }, { signal })).length > 0);
    await source.dependencies!(window, { signal });
  });

  it('ask the operations that connectors have: logs', async () => {
    const { sources } = setUp({ team: [shop()] });
    const source = (await sources()).get('satellite:shop/logs');
    assert.equal((await source.describe({ signal })).title, 'Loki at satellite shop (logs)');
    assert.deepEqual(await source.services!({ signal }), [{ name: 'web', metrics: 0 }]);
    const { lines } = await source.searchLogs!({ from: NOW - 60, to: NOW, limit: 5, level: 'error' }, { signal });
    assert.deepEqual(
      lines,
      [{ at: NOW, service: 'web', level: 'error', message: 'error: boom' }]
        .flatMap((line) => [line, line])
        .slice(0, lines.length),
    );
  });

  it('ask the operations that connectors have: traces', async () => {
    const { sources } = setUp({ team: [shop()] });
    const source = (await sources()).get('satellite:shop/traces');
    assert.equal((await source.describe({ signal })).title, 'Jaeger at satellite shop (traces)');
    assert.deepEqual(source.capabilities, ['services', 'traces']);
    const window = { from: NOW - 60, to: NOW };
    await source.searchTraces!(
      { ...window, service: 'web', minDurationMs: 5, status: 'error', limit: 500 },
      { signal },
    );
    assert.deepEqual(await source.getTrace!('a1', { signal }), [
      { traceId: 'a1', spanId: 'b1', service: 'web', operation: 'GET /', start: NOW, durationMs: 12 },
    ]);
    assert.deepEqual(await source.sampleSpans!({ ...window, maxSpans: 1e6 }, { signal }), {
      spans: [],
      sampled: false,
    });
  });

  it('ask every question under an id that is equal for every attempt at the tool call', async () => {
    const { access, sources } = setUp({ team: [shop()] });
    const requestIds = async (toolCallId: string) => {
      const from = access.asked.length;
      const source = (await sources('team', toolCallId)).get('satellite:shop/prometheus');
      await source.services!({ signal });
      await source.services!({ signal });
      return access.asked.slice(from).map(({ requestId }) => requestId!);
    };
    const id = randomUUID();
    const first = await requestIds(id);
    assert.deepEqual(await requestIds(id), first);
    assert.equal(new Set(first).size, first.length, 'the same question twice in one call is two questions');
    for (const one of first) z.uuid().parse(one);
    assert.deepEqual(
      (await requestIds(randomUUID())).filter((one) => first.includes(one)),
      [],
    );
  });

  it('do not ask a server again how often it scrapes, call after call', async () => {
    const { access, sources } = setUp({ team: [shop()] });
    for (let index = 0; index < 3; index += 1) {
      const source = (await sources()).get('satellite:shop/prometheus');
      await source.promql!({ expr: 'up', maxPoints: 10, from: NOW - 60, to: NOW }, { signal });
    }
    const targets = access.asked.filter(({ target }) => target.kind === 'connector' && target.operation === 'targets');
    assert.equal(targets.length, 1);
  });

  it('say why there is no answer', async () => {
    const { sources } = setUp({ team: [shop()] }, () =>
      Promise.reject(new SatelliteRefused('failed', 'connection refused')),
    );
    const source = (await sources()).get('satellite:shop/logs');
    await assert.rejects(source.services!({ signal }), (error: Error) => {
      return error instanceof SourceError && error.message === 'Satellite shop: connection refused';
    });
    const strange = setUp({ team: [shop()] }, () => ({ odd: true }));
    await assert.rejects(
      (await strange.sources()).get('satellite:shop/prometheus').services!({ signal }),
      /unknown form/,
    );
  });

  it('stop when the signal fires', async () => {
    const stop = new AbortController();
    const { sources } = setUp({ team: [shop()] }, async () => {
      stop.abort(new Error('enough'));
      throw new SatelliteRefused('cancelled', 'Cancelled.');
    });
    const source = (await sources()).get('satellite:shop/prometheus');
    await assert.rejects(source.describe({ signal: stop.signal }), /enough/);
  });

  it('of a satellite that is away are listed with since when; its graph can still be asked', async () => {
    const away = shop({ online: false, hasGraph: true });
    const { sources } = setUp({ team: [away] }, likeConnectors, { [away.id]: graph });
    const listed = await call<ListSourcesResult>('list_sources', {}, await sources());
    const offline = `The satellite "shop" is offline. It was last seen at ${LAST_SEEN.toISOString()}.`;
    assert.deepEqual(
      listed.sources.map(({ id, error }) => [id, error]),
      [
        ['shop', undefined],
        ['satellite:shop/prometheus', offline],
        ['satellite:shop/logs', offline],
        ['satellite:shop/traces', offline],
        ['satellite:shop/graph', undefined],
      ],
    );
    const input = { source: 'satellite:shop/graph', service: 'web' };
    const found = await call<ServiceDependenciesResult>('service_dependencies', input, await sources());
    assert.deepEqual(
      found.services.map(({ name }) => name),
      ['cart', 'db'],
    );
  });
});

describe('service_dependencies over satellites', () => {
  const live = shop({ hasGraph: true });
  const prometheusSource = 'satellite:shop/prometheus';

  it('answers from the live graph, and says as of when and what is stale', async () => {
    const { access, sources } = setUp({ team: [live] }, likeConnectors, { [live.id]: graph });
    const found = await call<ServiceDependenciesResult>(
      'service_dependencies',
      { source: prometheusSource, service: 'web' },
      await sources(),
    );
    assert.deepEqual(found.edges, [
      { caller: 'web', callee: 'cart', calls_per_second: 3, error_ratio: 0.25, p95_seconds: 0.5 },
      { caller: 'cart', callee: 'db', stale: true },
    ]);
    assert.equal(found.as_of, '2026-03-01T12:30:00Z');
    assert.deepEqual(found.notes, ['1 call among these services was not seen lately.']);
    assert.ok(!access.asked.some(({ target }) => target.kind === 'connector' && target.operation === 'query'));
  });

  it('answers about a window from the metrics, and where they know nothing of it from the live graph', async () => {
    const edges = { resultType: 'vector', result: [{ metric: { client: 'web', server: 'old' }, value: [NOW, '1'] }] };
    const known: Answers = (one, target) =>
      target.kind === 'connector' && target.operation === 'query' ? edges : likeConnectors(one, target);
    const input = { source: prometheusSource, service: 'web', from: NOW - 600, to: NOW };
    const recorded = setUp({ team: [live] }, known, { [live.id]: graph });
    const then = await call<ServiceDependenciesResult>('service_dependencies', input, await recorded.sources());
    assert.deepEqual([then.services.map(({ name }) => name), then.as_of], [['old'], undefined]);

    const empty: Answers = (one, target) =>
      target.kind === 'connector' && target.operation === 'query'
        ? { resultType: 'vector', result: [] }
        : likeConnectors(one, target);
    const unknown = setUp({ team: [live] }, empty, { [live.id]: graph });
    const now = await call<ServiceDependenciesResult>('service_dependencies', input, await unknown.sources());
    assert.deepEqual([now.services.map(({ name }) => name), now.as_of], [['cart', 'db'], '2026-03-01T12:30:00Z']);
  });

  it('falls back to the metrics where the satellite has sent no graph, or an empty one', async () => {
    const edges = { resultType: 'vector', result: [{ metric: { client: 'web', server: 'cart' }, value: [NOW, '1'] }] };
    const known: Answers = (one, target) =>
      target.kind === 'connector' && target.operation === 'query' ? edges : likeConnectors(one, target);
    for (const graphs of [{}, { [live.id]: { asOf: NOW, edges: [], truncated: false } }]) {
      const { sources } = setUp({ team: [live] }, known, graphs);
      const input = { source: prometheusSource, service: 'web' };
      const found = await call<ServiceDependenciesResult>('service_dependencies', input, await sources());
      assert.deepEqual([found.services.map(({ name }) => name), found.as_of], [['cart'], undefined]);
    }
  });

  it('says when there is more than it looked at', async () => {
    const { sources } = setUp({ team: [live] }, likeConnectors, { [live.id]: { ...graph, truncated: true } });
    const input = { source: 'satellite:shop/graph', service: 'db', direction: 'impact' };
    const found = await call<ServiceDependenciesResult>('service_dependencies', input, await sources());
    assert.match(found.notes![0]!, /services may be missing/);
    assert.deepEqual(
      found.services.map(({ name }) => name),
      ['cart', 'web'],
    );
  });
});
