import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { Counter, Gauge, Registry } from 'prom-client';
import { waitUntil } from '../../../support/wait-until.ts';
import { prometheus as prometheusKind } from '@casebook/connectors';
import { createPrometheusSource, type TelemetrySource } from '../../../../src/features/sources/index.ts';
import { overHttp } from '../../../../src/features/sources/transport.ts';
import { addressOf } from '../../../support/address.ts';
import { startPrometheus, type TestPrometheus } from '../../../support/prometheus.ts';
import { check, subjectsOf } from './support.ts';

describe('checks on a real Prometheus', () => {
  let prometheus: TestPrometheus;
  let target: Server;
  let source: TelemetrySource;
  let isBroken = false;
  const run = (input: object) =>
    check({ source: 'prometheus', ...input }, { sources: [source], now: Date.now() / 1_000 });
  const metric = (more: object) => ({ type: 'metric', metric: 'queue_depth', window_seconds: 10, ...more });
  const baseline = metric({ condition: { type: 'baseline', history_seconds: 300 }, aggregate: 'last' });
  const learnedFully = async () => {
    const result = await run(baseline);
    assert.notEqual(result.status, 'failed', result.summary);
    return result.observations.length === 2 ? result : undefined;
  };

  before(async () => {
    const registry = new Registry();
    const registers = [registry];
    const depth = new Gauge({ name: 'queue_depth', help: 'Jobs', labelNames: ['service'], registers });
    const requests = new Counter({
      name: 'http_requests_total',
      help: 'Requests',
      labelNames: ['service', 'code'],
      registers,
    });
    let scrapes = 0;
    target = createServer((_request, response) => {
      scrapes++;
      depth.set({ service: 'mail' }, isBroken ? 900 : 10 + (scrapes % 3));
      depth.set({ service: 'cart' }, 5);
      requests.inc({ service: 'mail', code: '200' }, 10);
      requests.inc({ service: 'cart', code: '200' }, isBroken ? 5 : 10);
      requests.inc({ service: 'cart', code: '503' }, isBroken ? 5 : 0);
      void registry.metrics().then((text) => response.setHeader('content-type', registry.contentType).end(text));
    });
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    prometheus = await startPrometheus({
      targets: [{ job: 'shop', address: `127.0.0.1:${addressOf(target).port}` }],
      rules: [
        {
          name: 'shop',
          rules: [{ alert: 'Backlog', expr: 'queue_depth > 500', annotations: { summary: '{{ $value }} jobs wait' } }],
        },
      ],
    });
    source = createPrometheusSource({ transport: overHttp(prometheusKind, prometheus.url) });
  });

  after(async () => {
    await prometheus?.stop();
    target?.closeAllConnections();
    await new Promise((resolve) => target.close(resolve));
  });

  it('learns before it judges, and then finds what a fault changes', async () => {
    const learning = await waitUntil(
      async () => {
        const result = await run(baseline);
        return result.summary.startsWith('learning') ? result : undefined;
      },
      { what: 'the first samples' },
    );
    assert.match(learning.summary, /^learning: \d+ of 20 points$/);
    const usual = await waitUntil(learnedFully, { what: 'a learned baseline', intervalMs: 500 });
    assert.equal(usual.status, 'ok', usual.summary);
    const healthSubject = { type: 'service_health', window_seconds: 10, history_seconds: 300 };
    const well = await run(healthSubject);
    assert.equal(well.status, 'ok', well.summary);

    isBroken = true;
    const found = await waitUntil(
      async () => {
        const result = await run(baseline);
        return result.status === 'finding' ? result : undefined;
      },
      { what: 'the finding', intervalMs: 250 },
    );
    assert.deepEqual(
      found.observations.map(({ subject, isFinding, value }) => [subject, isFinding, value]),
      [
        ['mail average', true, 900],
        ['cart average', false, 5],
      ],
    );
    const unwell = await waitUntil(
      async () => {
        const result = await run(healthSubject);
        const findings = result.observations.filter(({ isFinding }) => isFinding);
        return findings.length === 2 && findings.some(({ text }) => text.includes('Backlog')) ? result : undefined;
      },
      { what: 'both services unwell', intervalMs: 500 },
    );
    const textOf = (service: string) => unwell.observations.find(({ subject }) => subject === service)!.text;
    assert.match(textOf('mail'), /^mail: Backlog fires since .*Z: 900 jobs wait/);
    assert.match(textOf('cart'), /^cart: http_requests_total:error_ratio ratio is [\d.]+ %, normal: 0 %/);
  });

  it('carries PromQL out, and passes on what Prometheus refuses', async () => {
    const promql = (expr: string, more: object = {}) =>
      run({
        type: 'metric',
        promql: expr,
        window_seconds: 10,
        condition: { type: 'threshold', operator: '>=', value: 5 },
        ...more,
      });
    const result = await promql('max by (service) (queue_depth)');
    assert.deepEqual(subjectsOf(result.observations).toSorted(), ['service=cart', 'service=mail']);
    assert.equal(result.status, 'finding');
    const filtered = await promql('queue_depth > 1e9', { no_data: 'ok' });
    assert.deepEqual([filtered.status, filtered.summary], ['ok', 'no data of queue_depth > 1e9 in the last 10 s']);
    const refused = await promql('max by (');
    assert.equal(refused.status, 'failed');
    assert.match(refused.summary, /parse error/);
    const unknown = await run(metric({ metric: 'nope', condition: { type: 'threshold', operator: '>', value: 1 } }));
    assert.match(unknown.summary, /Prometheus has no metric "nope"/);
    const ratio = await run({ type: 'dependency', condition: { type: 'error_ratio', above: 0 } });
    assert.match(
      ratio.summary,
      /^prometheus knows calls but does not measure them; a satellite with a live graph does$/,
    );
  });

  it('a Prometheus that is gone is a failure in words', async () => {
    await prometheus.stop();
    const result = await run(baseline);
    assert.equal(result.status, 'failed');
    assert.match(result.summary, /did not answer/);
  });
});
