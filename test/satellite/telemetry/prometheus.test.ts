import assert from 'node:assert/strict';
import { localTransport, prometheus, type Connector } from '@casebook/connectors';
import { waitUntil } from '../../support/wait-until.ts';
import { createPrometheusSource } from '../../../src/features/sources/index.ts';
import type { RunningServer } from '@casebook/offline-model';
import { startPrometheus, type TestPrometheus } from '../../support/prometheus.ts';
import { ask, check, checkOthers, connect, failing } from './connect.ts';
import { startExporter } from './exporter.ts';

describe('satellite: Prometheus', () => {
  let exporter: RunningServer;
  let server: TestPrometheus;
  let connector: Connector;

  before(async () => {
    const started = await startExporter((work) => {
      work.add('http_requests_total', { service: 'cart', code: '200' }, 9);
      work.add('http_requests_total', { service: 'cart', code: '503' }, 1);
      work.observe('rpc_duration_seconds', { service: 'checkout' }, 0.05, 4, [0.1, 1]);
    });
    exporter = started.server;
    const rule = { alert: 'Errors', expr: 'http_requests_total{code="503"} > 0', annotations: { summary: 'It fails' } };
    server = await startPrometheus({
      targets: [{ job: 'shop', address: started.address }],
      rules: [{ name: 'shop', rules: [rule] }],
    });
    connector = connect(prometheus, { url: server.url });
    await waitUntil(
      async () => {
        const query = 'count_over_time(http_requests_total{code="503"}[1m]) >= 4 and on () ALERTS{alertstate="firing"}';
        const { result } = (await ask(connector, 'query', { query })) as { result: unknown[] };
        return result.length > 0 ? true : undefined;
      },
      { what: 'four scrapes and an alert' },
    );
  });
  after(async () => {
    await connector?.close();
    await server?.stop();
    await exporter?.stop();
  });

  it('is healthy, and distinguished from other systems', async () => {
    await check(connector);
    await checkOthers(prometheus, server.url);
  });

  it('gives the data of the API as it is', async () => {
    const time = Math.floor(Date.now() / 1000) - 0.5;
    assert.deepEqual(await ask(connector, 'query', { query: 'vector(2)', time }), {
      resultType: 'vector',
      result: [{ metric: {}, value: [time, '2'] }],
    });
    const range = { query: 'vector(1)', start: 1_000.5, end: 1_001, step: 0.25 };
    assert.deepEqual(await ask(connector, 'query_range', range), {
      resultType: 'matrix',
      result: [{ metric: {}, values: [1_000.5, 1_000.75, 1_001].map((at) => [at, '1']) }],
    });
    assert.ok(((await ask(connector, 'labels', {})) as string[]).includes('code'));
    assert.deepEqual(await ask(connector, 'labels', { match: ['rpc_duration_seconds_count'] }), [
      '__name__',
      'instance',
      'job',
      'service',
    ]);
    const names = { label: '__name__', match: ['{service="cart"}', '{service="checkout"}'] };
    assert.deepEqual(await ask(connector, 'label_values', names), [
      'ALERTS',
      'ALERTS_FOR_STATE',
      'http_requests_total',
      'rpc_duration_seconds_bucket',
      'rpc_duration_seconds_count',
      'rpc_duration_seconds_sum',
    ]);
    const series = (await ask(connector, 'series', { match: ['http_requests_total'] })) as { code: string }[];
    assert.deepEqual(series.map(({ code }) => code).sort(), ['200', '503']);
    const metadata = (await ask(connector, 'metadata', {})) as Record<string, unknown>;
    assert.deepEqual(metadata['rpc_duration_seconds'], [{ type: 'histogram', help: 'Of the test', unit: '' }]);
    const { alerts } = (await ask(connector, 'alerts', {})) as { alerts: { state: string }[] };
    assert.deepEqual(
      alerts.map(({ state }) => state),
      ['firing'],
    );
    const targets = (await ask(connector, 'targets', {})) as { activeTargets: { scrapeInterval: string }[] };
    assert.equal(targets.activeTargets[0]?.scrapeInterval, '1s');
  });

  it('gives a telemetry source all that it asks for', async () => {
    const source = createPrometheusSource({
      transport: localTransport(connector, 'satellite'),
    });
    const options = { signal: new AbortController().signal };
    const window = { from: Date.now() / 1000 - 60, to: Date.now() / 1000 };
    assert.deepEqual(
      (await source.describe(options)).alerts.map(({ summary }) => summary),
      ['It fails'],
    );
    const services = await source.services!(options);
    assert.deepEqual(
      services.map(({ name }) => name),
      ['cart', 'checkout'],
    );
    const surveyed = await source.surveyMetrics!({ ...window, maxPoints: 60 }, options);
    assert.deepEqual([...new Set(surveyed.map(({ metric }) => metric))].sort(), [
      'http_requests_total',
      'http_requests_total:error_ratio',
      'rpc_duration_seconds',
      'up',
    ]);
    const ratio = surveyed.find(({ metric }) => metric.endsWith('ratio'))!.values.findLast(Number.isFinite)!;
    assert.ok(Math.abs(ratio - 0.1) < 0.01, `ratio: ${ratio}`);
  });

  it('passes on what Prometheus says of a bad query', async () => {
    const says = /Prometheus at [\d.:]+ answered 400: bad_data: .*parse error: unclosed left parenthesis/;
    await assert.rejects(ask(connector, 'query', { query: 'sum(up' }), failing('bad_request', says));
    const long = `sum(${'up + '.repeat(2_000)}up`;
    await assert.rejects(ask(connector, 'query', { query: long }), failing('bad_request', says));
    const many = 'up * on () group_right () {__name__=~"http_requests_total|rpc_duration_seconds_count"} * on () up';
    await assert.rejects(
      ask(connector, 'query', { query: many }),
      failing('bad_request', /execution: .*many-to-many|multiple matches/),
    );
  });

  it('refuses a range of too many points, and says which step would do', async () => {
    const range = { query: 'up', start: 0, end: 110_000 };
    await assert.rejects(
      ask(connector, 'query_range', { ...range, step: 1 }),
      failing('bad_request', /110001 points per series.*step of at least 11 seconds/),
    );
    await ask(connector, 'query_range', { ...range, step: 11 });
    await assert.rejects(ask(connector, 'query_range', { ...range, start: 200_000, step: 60 }), /end is before start/);
  });

  it('takes only parameters that it knows, and only names as labels', async () => {
    await assert.rejects(ask(connector, 'query', { query: 'up', timeout: '1h' }), /timeout/);
    await assert.rejects(ask(connector, 'label_values', { label: '../../admin' }), /not a valid label name/);
    await assert.rejects(ask(connector, 'query_range', { query: 'up', start: 1, end: 2, step: 0 }), /step/);
  });

  it('has time limits and size limits', async () => {
    const signal = AbortSignal.timeout(1);
    const slow = 'sum_over_time(count({__name__=~".+"})[1h:1ms])';
    await assert.rejects(ask(connector, 'query', { query: slow }, { signal }), failing('timeout', /in time/));
    await assert.rejects(ask(connector, 'metadata', {}, { maxBytes: 100 }), failing('too_large', /100 bytes allowed/));
  });
});
