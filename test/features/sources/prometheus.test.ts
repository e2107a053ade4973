import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client';
import { prometheus as prometheusKind } from '@casebook/connectors';
import { createPrometheusSource, SourceError, type TelemetrySource } from '../../../src/features/sources/index.ts';
import { createPrometheusClient } from '../../../src/features/sources/prometheus/client.ts';
import { overHttp } from '../../../src/features/sources/transport.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { addressOf } from '../../support/address.ts';
import { startPrometheus, type TestPrometheus } from '../../support/prometheus.ts';

const options = () => ({ signal: new AbortController().signal });

/** A program that does the same work each time it is scraped, once a second: its rates are known. */
async function startTarget(registry: Registry, work: () => void): Promise<{ address: string; server: Server }> {
  const server = createServer((_request, response) => {
    work();
    void registry.metrics().then((text) => response.setHeader('content-type', registry.contentType).end(text));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { address: `127.0.0.1:${addressOf(server).port}`, server };
}

function shopMetrics(): { registry: Registry; work: () => void } {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests served',
    labelNames: ['service', 'code'],
    registers,
  });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to serve a request',
    labelNames: ['service'],
    buckets: [0.01, 0.1, 1],
    registers,
  });
  const rpc = new Summary({
    name: 'rpc_time_seconds',
    help: 'Time of a call',
    labelNames: ['service'],
    percentiles: [0.5, 0.99],
    registers,
  });
  const pool = new Gauge({
    name: 'db_pool_in_use',
    help: 'Connections handed out',
    labelNames: ['service', 'pod'],
    registers,
  });
  const weird = new Gauge({
    name: 'weird_value',
    help: 'Labels and values that hurt',
    labelNames: ['service', 'path'],
    registers,
  });
  weird.set({ service: 'cart', path: 'a"b\\c\nd{}' }, 7);
  weird.set({ service: 'cart', path: 'nan' }, Number.NaN);
  return {
    registry,
    work() {
      requests.inc({ service: 'cart', code: '200' }, 9);
      requests.inc({ service: 'checkout', code: '200' }, 3);
      requests.inc({ service: 'checkout', code: '503' }, 1);
      for (let i = 0; i < 10; i++) duration.observe({ service: 'cart' }, 0.05);
      rpc.observe({ service: 'cart' }, 0.2);
      pool.set({ service: 'checkout', pod: 'a' }, 4);
      pool.set({ service: 'checkout', pod: 'b' }, 8);
    },
  };
}

function meshMetrics(): { registry: Registry; work: () => void } {
  const registry = new Registry();
  const registers = [registry];
  const graph = new Counter({
    name: 'traces_service_graph_request_total',
    help: 'Calls between services, from spans',
    labelNames: ['client', 'server'],
    registers,
  });
  const istio = new Counter({
    name: 'istio_requests_total',
    help: 'Requests that proxies saw',
    labelNames: [
      'reporter',
      'source_workload',
      'source_canonical_service',
      'destination_workload',
      'response_code',
      'app',
    ],
    registers,
  });
  graph.inc({ client: 'web', server: 'idle-service' }, 5);
  return {
    registry,
    work() {
      graph.inc({ client: 'web', server: 'checkout' }, 2);
      for (const reporter of ['source', 'destination']) {
        istio.inc(
          {
            reporter,
            source_workload: 'checkout',
            destination_workload: 'payment',
            response_code: '200',
            app: 'checkout',
          },
          4,
        );
        istio.inc(
          {
            reporter,
            source_workload: 'checkout',
            destination_workload: 'payment',
            response_code: '500',
            app: 'checkout',
          },
          1,
        );
      }
      istio.inc(
        {
          reporter: 'source',
          source_canonical_service: 'payment',
          destination_workload: 'bank',
          response_code: '200',
          app: 'payment',
        },
        1,
      );
      istio.inc(
        {
          reporter: 'destination',
          source_workload: 'unknown',
          destination_workload: 'web',
          response_code: '200',
          app: 'web',
        },
        1,
      );
    },
  };
}

describe('Prometheus source', () => {
  const servers: Server[] = [];
  let prometheus: TestPrometheus;
  let source: TelemetrySource;
  let begun: number;
  const recent = () => ({ from: Date.now() / 1000 - 60, to: Date.now() / 1000 });

  before(async () => {
    const shop = shopMetrics();
    const mesh = meshMetrics();
    const targets = await Promise.all([startTarget(shop.registry, shop.work), startTarget(mesh.registry, mesh.work)]);
    servers.push(...targets.map(({ server }) => server));
    begun = Date.now() / 1000;
    prometheus = await startPrometheus({
      targets: [
        { job: 'shop', address: targets[0].address },
        { job: 'mesh', address: targets[1].address },
      ],
      rules: [
        {
          name: 'shop',
          rules: [
            {
              alert: 'PoolNearlyFull',
              expr: 'sum by (service) (db_pool_in_use) > 10',
              annotations: { summary: '{{ $labels.service }} uses {{ $value }} connections' },
            },
          ],
        },
      ],
    });
    source = createPrometheusSource({ transport: overHttp(prometheusKind, `${prometheus.url}/`) });
    await waitUntil(
      async () => {
        const [series] = await source.queryMetric!(
          { ...recent(), metric: 'http_requests_total', service: 'cart', maxPoints: 60 },
          options(),
        );
        const known = series?.values.filter((value) => Number.isFinite(value)).length ?? 0;
        const { alerts } = await source.describe(options());
        return known >= 5 && alerts.length > 0 ? true : undefined;
      },
      { what: 'five seconds of scraped data' },
    );
  });

  after(async () => {
    await prometheus?.stop();
    for (const server of servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('describes itself with the alerts that fire', async () => {
    const { kind, alerts, capabilities } = await source.describe(options());
    assert.equal(kind, 'prometheus');
    assert.deepEqual(capabilities, ['services', 'metrics', 'promql', 'dependencies', 'alerts']);
    assert.equal(alerts.length, 1);
    const [alert] = alerts;
    assert.deepEqual(
      [alert!.name, alert!.service, alert!.summary],
      ['PoolNearlyFull', 'checkout', 'checkout uses 12 connections'],
    );
    assert.ok(Math.abs(alert!.at - Date.now() / 1000) < 90);
  });

  it('says since when it has data, when that is not long', async () => {
    const asked = Date.now() / 1000;
    const { window } = await source.describe(options());
    const answered = Date.now() / 1000;
    assert.ok(window);
    assert.ok(window.from >= begun, `${begun - window.from} s before its start`);
    assert.ok(window.to > asked - 1 && window.to < answered + 1, `${window.to - asked} s after it was asked`);
    const inTenHours = { now: () => new Date(Date.now() + 10 * 3_600_000) };
    const transport = overHttp(prometheusKind, prometheus.url);
    const later = await createPrometheusSource({ transport, clock: inTenHours }).describe(options());
    assert.equal(later.window, undefined);
  });

  it('lists services by the labels in use', async () => {
    const services = await source.services!(options());
    const names = services.map(({ name }) => name);
    for (const name of ['bank', 'cart', 'checkout', 'idle-service', 'payment', 'web'])
      assert.ok(names.includes(name), name);
    assert.ok(!names.includes('unknown'));
    assert.ok(!names.includes('mesh'), 'a job is no service where better labels exist');
    assert.ok(services.find(({ name }) => name === 'cart')!.metrics >= 4);
  });

  it('finds metrics by words of name, help and service; a histogram is one metric', async () => {
    const found = await source.searchMetrics!({ text: 'time serve', limit: 10 }, options());
    assert.deepEqual(
      found.map(({ metric, type, services, unit }) => ({ metric, type, services, unit })),
      [{ metric: 'http_request_duration_seconds', type: 'histogram', services: ['cart'], unit: 's' }],
    );
    assert.ok(found[0]!.statistics.includes('p95'));
    const ofCheckout = await source.searchMetrics!({ service: 'checkout', limit: 50 }, options());
    assert.deepEqual(ofCheckout.map(({ metric }) => metric).sort(), [
      'db_pool_in_use',
      'http_requests_total',
      'traces_service_graph_request_total',
    ]);
    const byService = await source.searchMetrics!({ text: 'payment requests', limit: 50 }, options());
    assert.deepEqual(
      byService.map(({ metric }) => metric),
      ['istio_requests_total'],
    );
    assert.deepEqual(await source.searchMetrics!({ text: 'no such thing', limit: 5 }, options()), []);
    assert.equal((await source.searchMetrics!({ limit: 2 }, options())).length, 2);
  });

  const last = (values: number[]) => values.findLast((value) => Number.isFinite(value))!;

  it('returns counters as rates per second, by service', async () => {
    const series = await source.queryMetric!({ ...recent(), metric: 'http_requests_total', maxPoints: 60 }, options());
    const rates = Object.fromEntries(series.map(({ service, values }) => [service, last(values)]));
    assert.deepEqual(Object.keys(rates).sort(), ['cart', 'checkout']);
    assert.ok(Math.abs(rates['cart']! - 9) < 1.5, `cart: ${rates['cart']}`);
    assert.ok(Math.abs(rates['checkout']! - 4) < 1, `checkout: ${rates['checkout']}`);
    assert.ok(series.every(({ statistic }) => statistic === 'rate'));
    const failed = await source.queryMetric!(
      { ...recent(), metric: 'http_requests_total', labels: { code: '503' }, maxPoints: 60 },
      options(),
    );
    assert.deepEqual(
      failed.map(({ service }) => service),
      ['checkout'],
    );
  });

  it('returns the share of failed requests of a counter with status codes', async () => {
    const series = await source.queryMetric!(
      { ...recent(), metric: 'http_requests_total:error_ratio', maxPoints: 60 },
      options(),
    );
    const ratios = Object.fromEntries(series.map(({ service, values }) => [service, last(values)]));
    assert.ok(Math.abs(ratios['checkout']! - 0.25) < 0.05);
    assert.equal(ratios['cart'], 0);
  });

  it('returns histograms as quantiles and average, gauges as aggregates, summaries by quantile', async () => {
    const histogram = await source.queryMetric!(
      { ...recent(), metric: 'http_request_duration_seconds', maxPoints: 60 },
      options(),
    );
    const of = (statistic: string) => last(histogram.find((series) => series.statistic === statistic)!.values);
    assert.deepEqual(
      histogram.map(({ statistic }) => statistic),
      ['p50', 'p95', 'p99', 'average'],
    );
    assert.ok(Math.abs(of('average') - 0.05) < 1e-6);
    assert.ok(of('p50') > 0.01 && of('p50') < of('p95') && of('p95') <= 0.1);
    const gauge = (statistic?: string) =>
      source.queryMetric!({ ...recent(), metric: 'db_pool_in_use', statistic, maxPoints: 60 }, options());
    assert.equal(last((await gauge())[0]!.values), 6);
    assert.equal(last((await gauge('max'))[0]!.values), 8);
    assert.equal(last((await gauge('sum'))[0]!.values), 12);
    await assert.rejects(gauge('p95'), /is a gauge and has no statistic "p95"; it has average, max, min, sum/);
    const [summary] = await source.queryMetric!(
      { ...recent(), metric: 'rpc_time_seconds', statistic: 'p99', maxPoints: 60 },
      options(),
    );
    assert.equal(last(summary!.values), 0.2);
  });

  it('takes labels literally and refuses what is no name', async () => {
    const query = (path: string) =>
      source.queryMetric!({ ...recent(), metric: 'weird_value', labels: { path }, maxPoints: 10 }, options());
    assert.equal(last((await query('a"b\\c\nd{}'))[0]!.values), 7);
    assert.deepEqual(await query('"} or vector(1) #'), []);
    assert.ok((await query('nan')).every(({ values }) => values.every(Number.isNaN)));
    await assert.rejects(
      source.queryMetric!({ ...recent(), metric: 'up or vector(1)', maxPoints: 10 }, options()),
      /is not the name of a Prometheus metric/,
    );
    await assert.rejects(
      source.queryMetric!({ ...recent(), metric: 'up', labels: { 'a"b': 'c' }, maxPoints: 10 }, options()),
      /is not a label name/,
    );
    await assert.rejects(
      source.queryMetric!({ ...recent(), metric: 'no_such_metric', maxPoints: 10 }, options()),
      /has no metric "no_such_metric"; search_metrics finds/,
    );
  });

  it('keeps to the points it may return', async () => {
    for (const maxPoints of [2, 7, 60]) {
      for (const { timestamps } of await source.queryMetric!({ ...recent(), metric: 'up', maxPoints }, options())) {
        assert.ok(timestamps.length <= maxPoints, `${timestamps.length} of ${maxPoints}`);
      }
    }
    const week = { from: Date.now() / 1000 - 7 * 86_400, to: Date.now() / 1000 };
    const series = await source.promql!({ expr: 'vector(1)', ...week, maxPoints: 50_000 }, options());
    assert.ok(series[0]!.timestamps.length > 5000 && series[0]!.timestamps.length <= 11_000);
  });

  it("runs PromQL and passes on the server's own words about a bad query", async () => {
    const series = await source.promql!({ expr: 'sum(db_pool_in_use)', ...recent(), maxPoints: 30 }, options());
    assert.equal(last(series[0]!.values), 12);
    await assert.rejects(source.promql!({ expr: 'sum(', ...recent(), maxPoints: 30 }, options()), (error: Error) => {
      assert.ok(error instanceof SourceError);
      assert.match(error.message, /Prometheus at [\d.:]+ answered 400: bad_data: .*parse error/);
      return true;
    });
  });

  it('draws the service graph from spans and from Istio, without idle and unknown ends', async () => {
    const edges = await source.dependencies!(recent(), options());
    assert.deepEqual(
      edges.map(({ caller, callee }) => `${caller} -> ${callee}`),
      ['checkout -> payment', 'payment -> bank', 'web -> checkout'],
    );
    // Both proxies report a request; it is one all the same. Prometheus extrapolates over a window longer than its data.
    const [payment, , checkout] = edges.map(({ callsPerSecond }) => callsPerSecond!);
    assert.ok(Math.abs(payment! / checkout! - 5 / 2) < 0.4, `${payment} / ${checkout}`);
  });

  it('surveys what tells how services fare, attributed to the right service', async () => {
    const series = await source.surveyMetrics!({ ...recent(), maxPoints: 30 }, options());
    const names = new Set(series.map(({ service, metric, statistic }) => `${service} ${metric} ${statistic}`));
    for (const expected of [
      'checkout http_requests_total:error_ratio ratio',
      'cart http_request_duration_seconds p95',
      'checkout db_pool_in_use average',
      'payment istio_requests_total:error_ratio ratio',
      'cart http_requests_total rate',
    ]) {
      assert.ok(names.has(expected), `${expected} in ${[...names].join('\n')}`);
    }
    // Istio's series carry the label app of the pod that reports, here the caller.
    const istio = series.filter(({ metric }) => metric.startsWith('istio_'));
    assert.ok(!istio.some(({ service }) => service === 'checkout'));
    assert.ok(series.every(({ timestamps, values }) => timestamps.length === values.length && timestamps.length <= 30));
    const some = await source.surveyMetrics!({ ...recent(), services: ['cart'], maxPoints: 30 }, options());
    assert.deepEqual([...new Set(some.map(({ service }) => service))], ['cart']);
  });

  it('stops when the signal fires', async () => {
    const controller = new AbortController();
    const reason = new Error('cancelled by the test');
    const survey = source.surveyMetrics!({ ...recent(), maxPoints: 30 }, { signal: controller.signal });
    controller.abort(reason);
    await assert.rejects(survey, reason);
  });
});

describe('Prometheus source and a bad server', () => {
  it('refuses an answer beyond its size', async () => {
    const server = createServer((_request, response) => {
      const chunk = 'x'.repeat(64 * 1024);
      const send = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', send);
      };
      send();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${addressOf(server).port}`;
      const { place, call } = overHttp(prometheusKind, url);
      const client = createPrometheusClient({
        place,
        call: (operation, parameters, context) => call(operation, parameters, { ...context, maxBytes: 1_000_000 }),
      });
      await assert.rejects(client.labelNames(options().signal), /larger than the 1000000 bytes/);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
