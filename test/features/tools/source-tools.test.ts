import assert from 'node:assert/strict';
import type { MetricSeries } from '../../../src/features/sources/port.ts';
import { createToolRegistry, sharedTools } from '../../../src/features/tools/index.ts';
import type {
  ListSourcesResult,
  ListServicesResult,
  PromqlResult,
  QueryMetricResult,
  RankRootCausesResult,
  RecentChangesResult,
  SearchLogsResult,
  SearchMetricsResult,
  ServiceDependenciesResult,
} from '../../../src/features/tools/index.ts';
import { ALERT_AT, catalogOf, memorySource, sampleIncident } from '../../support/telemetry-source.ts';
import { toolContext } from '../../support/tool-context.ts';

const registry = createToolRegistry(sharedTools);
const shop = toolContext();

async function ask<Result>(name: string, input: object, context = shop): Promise<Result> {
  const output = await registry.invoke(name, input, context);
  assert.equal(output.isError, undefined, String(output.content));
  assert.ok(output.digest.length > 0 && output.digest.length <= 200);
  const result: Result = JSON.parse(String(output.content));
  return result;
}

async function refusal(name: string, input: object, context = shop): Promise<string> {
  const output = await registry.invoke(name, input, context);
  assert.equal(output.isError, true, String(output.content));
  const { error }: { error: string } = JSON.parse(String(output.content));
  return error;
}

describe('tools over telemetry sources', () => {
  it('list_sources: windows and alerts in ISO times, and the time it is', async () => {
    const { sources, now } = await ask<ListSourcesResult>('list_sources', {});
    assert.equal(now, '2026-03-01T12:30:00Z');
    assert.deepEqual(sources[0]?.window, { from: '2026-03-01T10:00:00Z', to: '2026-03-01T12:30:00Z' });
    assert.deepEqual(sources[0]?.alerts[0]?.at, '2026-03-01T12:00:00Z');
  });

  it('list_sources: a source that cannot be described is listed with its error', async () => {
    const { SourceError } = await import('../../../src/features/sources/port.ts');
    const broken = {
      ...sampleIncident(),
      id: 'broken',
      describe: () => Promise.reject(new SourceError('unreachable')),
    };
    const context = toolContext({ sources: catalogOf(sampleIncident(), broken) });
    const { sources } = await ask<ListSourcesResult>('list_sources', {}, context);
    assert.deepEqual(
      sources.map(({ id, error }) => [id, error]),
      [
        ['shop', undefined],
        ['broken', 'unreachable'],
      ],
    );
  });

  it('list_services and search_metrics: bounded, and say when there is more', async () => {
    const all = await ask<ListServicesResult>('list_services', { source: 'shop' });
    assert.deepEqual(
      all.services.map(({ name }) => name),
      ['checkout', 'db', 'mail', 'web'],
    );
    const some = await ask<ListServicesResult>('list_services', { source: 'shop', limit: 1 });
    assert.deepEqual([some.services.length, some.total, some.truncated], [1, 4, true]);
    const metrics = await ask<SearchMetricsResult>('search_metrics', { source: 'shop', service: 'db', text: 'pool' });
    assert.deepEqual(
      metrics.metrics.map(({ metric }) => metric),
      ['pool_connections_used'],
    );
    assert.equal((await ask<SearchMetricsResult>('search_metrics', { source: 'shop', limit: 1 })).truncated, true);
  });

  it('query_metric: the most anomalous series first, with onset and statistics', async () => {
    const { series, window, baseline } = await ask<QueryMetricResult>('query_metric', {
      source: 'shop',
      metric: 'latency_seconds',
    });
    assert.deepEqual(window, { from: '2026-03-01T11:30:00Z', to: '2026-03-01T12:30:00Z' });
    assert.deepEqual(baseline, { from: '2026-03-01T10:30:00Z', to: '2026-03-01T11:30:00Z' });
    assert.deepEqual([series[0]?.service, series.at(-1)?.service], ['db', 'mail']);
    const anomaly = series[0]?.anomaly;
    assert.equal(anomaly?.onset, '2026-03-01T11:58:00Z');
    assert.equal(anomaly?.meaning, 'latency');
    assert.ok((anomaly?.score ?? 0) > 100 && Math.abs(series.at(-1)?.anomaly.score ?? 99) < 3);
    assert.equal(series.at(-1)?.anomaly.onset, null);
    assert.ok(series.every(({ points }) => points.length <= 60 && points.length > 0));
  });

  it('query_metric: one service, and bounds on series and size', async () => {
    const one = await ask<QueryMetricResult>('query_metric', {
      source: 'shop',
      metric: 'latency_seconds',
      service: 'web',
    });
    assert.deepEqual(
      one.series.map(({ service }) => service),
      ['web'],
    );
    const timestamps = Array.from({ length: 5_000 }, (_, index) => ALERT_AT - 3_600 + index);
    const series = Array.from({ length: 300 }, (_, index): MetricSeries => {
      return { service: `s${index}`, metric: 'cpu', timestamps, values: timestamps.map((at) => Math.sin(at) * index) };
    });
    const sources = catalogOf(memorySource({ series }));
    const many = await registry.invoke(
      'query_metric',
      { source: 'memory', metric: 'cpu', from: ALERT_AT - 1_800, to: ALERT_AT, limit: 20 },
      toolContext({ sources }),
    );
    const result: QueryMetricResult = JSON.parse(String(many.content));
    assert.equal(result.series.length, 20);
    assert.equal(result.truncated, true);
    assert.ok(String(many.content).length <= 16_000, `${String(many.content).length}`);
  });

  it('query_metric: says which metric there is not', async () => {
    assert.match(await refusal('query_metric', { source: 'shop', metric: 'nope' }), /no metric "nope"/u);
  });

  it('promql: only where it is offered, sorted by maximum, with gaps as null', async () => {
    const promql = () => [
      { labels: { a: '1' }, timestamps: [1, 2], values: [1, NaN] },
      { labels: { a: '2' }, timestamps: [1, 2], values: [NaN, NaN] },
      { labels: { a: '3' }, timestamps: [1, 2], values: [5, 4] },
    ];
    const context = toolContext({ sources: catalogOf(sampleIncident(), memorySource({ promql })) });
    const { series } = await ask<PromqlResult>('promql', { source: 'memory', expr: 'up', limit: 2 }, context);
    assert.deepEqual(
      series.map(({ labels, min, max, last }) => [labels['a'], min, max, last]),
      [
        ['3', 4, 5, 4],
        ['1', 1, 1, 1],
      ],
    );
    assert.deepEqual(series[1]?.points[1], ['1970-01-01T00:00:02Z', null]);
    const error = await refusal('promql', { source: 'shop', expr: 'up' }, context);
    assert.match(error, /"shop" does not offer promql; it offers services, .*Sources that have: memory\./u);
  });

  it('search_logs: patterns by frequency, and whole lines with the severe ones among them', async () => {
    const result = await ask<SearchLogsResult>('search_logs', { source: 'shop', limit: 4 });
    assert.deepEqual(
      result.patterns.map(({ pattern, count, services }) => [pattern, count, services]),
      [
        ['GET /checkout/<*> took <*> ms', 60, ['web']],
        ['pool exhausted: <*> clients waiting', 32, ['db']],
      ],
    );
    assert.deepEqual([result.matched, result.lines.length, result.truncated], [92, 4, true]);
    assert.equal(result.lines.filter(({ level }) => level === 'error').length, 2);
    const times = result.lines.map(({ at }) => at);
    assert.deepEqual(times, times.toSorted());
    const errors = await ask<SearchLogsResult>('search_logs', {
      source: 'shop',
      level: 'error',
      text: 'POOL',
      to: ALERT_AT,
    });
    assert.deepEqual([errors.matched, errors.lines.length, errors.truncated], [2, 2, false]);
  });

  it('search_logs: fits one view with many patterns of long lines, unless more is asked for', async () => {
    const lines = Array.from({ length: 3_000 }, (_, index) => {
      const words = Array.from({ length: 60 }, (__, word) =>
        String.fromCharCode(97 + (index % 26), 97 + (word % 26), 97 + (index % 7)),
      );
      return {
        at: ALERT_AT + index / 10,
        service: `s${index % 40}`,
        level: 'error',
        message: words.join(' '.repeat(1 + (index % 3))),
      };
    });
    const context = toolContext({ sources: catalogOf(memorySource({ lines })) });
    const input = { source: 'memory', from: ALERT_AT, to: ALERT_AT + 600 };
    const output = await registry.invoke('search_logs', input, context);
    assert.ok(output.content.length <= 16_000, `${output.content.length}`);
    const more = await ask<SearchLogsResult>('search_logs', { ...input, limit: 200 }, context);
    assert.ok(more.lines.length >= 100);
  });

  it('service_dependencies: downstream, impact, and what is known when a service is not', async () => {
    const down = await ask<ServiceDependenciesResult>('service_dependencies', { source: 'shop', service: 'web' });
    assert.deepEqual(
      down.services.map(({ name, depth }) => [name, depth]),
      [
        ['checkout', 1],
        ['db', 2],
        ['mail', 2],
      ],
    );
    assert.deepEqual(down.edges[0], { caller: 'web', callee: 'checkout', calls_per_second: 20 });
    const impact = await ask<ServiceDependenciesResult>('service_dependencies', {
      source: 'shop',
      service: 'db',
      direction: 'impact',
    });
    assert.deepEqual(
      impact.services.map(({ path }) => path),
      [
        ['db', 'checkout'],
        ['db', 'checkout', 'web'],
      ],
    );
    const error = await refusal('service_dependencies', { source: 'shop', service: 'bd' });
    assert.match(error, /No calls of "bd".*checkout, db, mail, web/u);
  });

  it('recent_changes: a day before the alert, newest first', async () => {
    const { changes } = await ask<RecentChangesResult>('recent_changes', { source: 'shop' });
    assert.deepEqual(
      changes.map(({ id, at }) => [id, at]),
      [
        ['c2', '2026-03-01T11:57:00Z'],
        ['c1', '2026-03-01T11:45:00Z'],
      ],
    );
    const old = await ask<RecentChangesResult>('recent_changes', {
      source: 'shop',
      from: '2026-02-01',
      to: '2026-03-01',
    });
    assert.deepEqual(
      old.changes.map(({ id }) => id),
      ['c3'],
    );
  });

  it('rank_root_causes: the cause behind the alert, by default and with times given', async () => {
    for (const times of [
      {},
      { at: ALERT_AT },
      { from: ALERT_AT - 300, to: ALERT_AT + 900 },
      { at: ALERT_AT + 120, service: 'checkout' },
    ]) {
      const { causes, alert } = await ask<RankRootCausesResult>('rank_root_causes', { source: 'shop', ...times });
      assert.equal(causes[0]?.service, 'db', JSON.stringify(times));
      assert.equal(causes[0]?.rank, 1);
      assert.ok(causes[0].signals.length > 0 && causes[0].reason.length > 0);
      assert.equal(alert.service, 'service' in times ? 'checkout' : 'web');
    }
  });

  it('rank_root_causes: needs a service where there is no alert, and data around the time', async () => {
    const sources = catalogOf(memorySource({ series: [] }));
    assert.match(
      await refusal('rank_root_causes', { source: 'memory' }, toolContext({ sources })),
      /has no alert; give the service/u,
    );
    assert.match(
      await refusal('rank_root_causes', { source: 'shop', at: '2020-01-01' }),
      /no data around .*covers 2026-03-01T10:00:00Z/u,
    );
  });

  it('update_plan: notes the plan', async () => {
    const items = [
      { text: 'look', status: 'done' },
      { text: 'think', status: 'pending' },
    ];
    const output = await registry.invoke('update_plan', { items }, shop);
    assert.deepEqual(output.effect, { kind: 'plan', items });
    assert.equal(output.content, '{"items":2,"done":1}');
  });

  it('every tool that asks a source names the sources when there is no such one', async () => {
    const inputs = {
      list_services: {},
      search_metrics: {},
      query_metric: { metric: 'm' },
      promql: { expr: 'up' },
      search_logs: {},
      service_dependencies: { service: 'web' },
      recent_changes: {},
      rank_root_causes: {},
    };
    for (const [name, input] of Object.entries(inputs)) {
      assert.match(await refusal(name, { source: 'nowhere', ...input }), /no source "nowhere"; the sources are: shop/u);
      assert.ok(registry.summarize(name, { source: 'shop', ...input }).length > 5);
    }
  });

  it('rethrows what is not an answer of the source: a defect, or an abort', async () => {
    const broken = { ...sampleIncident(), searchLogs: () => Promise.reject(new TypeError('defect')) };
    const context = toolContext({ sources: catalogOf(broken) });
    await assert.rejects(registry.invoke('search_logs', { source: 'shop' }, context), TypeError);
    const { SourceError } = await import('../../../src/features/sources/port.ts');
    const stop = new AbortController();
    const stopped = {
      ...sampleIncident(),
      searchLogs: () => (stop.abort(), Promise.reject(new SourceError('cut off'))),
    };
    const stopping = toolContext({ sources: catalogOf(stopped), signal: stop.signal });
    await assert.rejects(registry.invoke('search_logs', { source: 'shop' }, stopping), { name: 'AbortError' });
  });
});
