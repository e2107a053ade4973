import assert from 'node:assert/strict';
import { SourceError, type MetricSeries, type TelemetrySource } from '../../src/features/sources/port.ts';
import { startOfflineModel, type RunningServer } from '../../packages/offline-model/index.ts';
import { createModelClient, type ModelClient } from '../../src/platform/anthropic/index.ts';
import { ALERT_AT, catalogOf, memorySource, sampleIncident } from '../support/telemetry-source.ts';
import { openChat } from './support/run-chat.ts';
import { runInvestigation, type Run } from './support/run-investigation.ts';

const timestamps = Array.from({ length: 150 }, (_, minute) => ALERT_AT - 7_200 + minute * 60);
const ONSET = ALERT_AT - 120;

function latency(service: string, healthy: number, sick: number): MetricSeries {
  const values = timestamps.map((at, index) => (at < ONSET ? healthy : sick) * (1 + 0.02 * Math.sin(index)));
  return { service, metric: 'latency_seconds', statistic: 'p95', timestamps, values };
}

/** What is behind one satellite: front -> cart -> store, of which `culprit` is slow of itself. */
function network(name: string, options: { alert?: string; culprit?: string } = {}): TelemetrySource[] {
  const { alert, culprit } = options;
  const edges = [
    { caller: 'front', callee: 'cart' },
    { caller: 'cart', callee: 'store' },
  ];
  const alerts = alert
    ? [{ name: alert, service: 'front', metric: 'latency_seconds', at: ALERT_AT, summary: 'p95 of front above 1 s' }]
    : [];
  const kinds = { prometheus: 'Prometheus', logs: 'Loki', graph: 'Live dependency graph' };
  const title = (of: keyof typeof kinds): string => `${kinds[of]} of satellite ${name}`;
  const line = { at: ONSET + 5, service: culprit ?? 'front', level: 'error', message: `${name}: pool exhausted` };
  return [
    memorySource({
      id: `satellite:${name}/graph`,
      edges,
      description: { kind: 'dependency-graph', title: title('graph') },
    }),
    memorySource({
      id: `satellite:${name}/logs`,
      lines: Array.from({ length: 20 }, (_, index) => ({ ...line, at: line.at + index })),
      description: { kind: 'loki', title: title('logs') },
    }),
    memorySource({
      id: `satellite:${name}/prometheus`,
      series: ['front', 'cart', 'store'].map((service) => latency(service, 0.1, culprit ? 1.5 : 0.1)),
      edges,
      description: { kind: 'prometheus', title: title('prometheus'), alerts },
    }),
  ];
}

const sourcesOf = (run: Run): string[] => sourcesIn(run.calls);

function sourcesIn(calls: readonly { input: unknown }[]): string[] {
  const used = calls.flatMap(({ input }) => /"source":"([^"]+)"/.exec(JSON.stringify(input))?.[1] ?? []);
  return [...new Set(used)].sort();
}

describe('offline model: satellites', () => {
  let server: RunningServer;
  let model: ModelClient;
  before(async () => {
    server = await startOfflineModel();
    model = createModelClient({ offlineBaseUrl: server.url });
  });
  after(() => server.stop());

  const investigate = (query: string, ...sources: TelemetrySource[]) =>
    runInvestigation(model, { query, sources: catalogOf(...sources) });
  const ofShop = ['satellite:shop/logs', 'satellite:shop/prometheus'];

  it('investigates through the satellite whose alert the query is about, with its own logs', async () => {
    const run = await investigate(
      'FrontSlow: p95 of front above 1 s',
      sampleIncident(),
      ...network('eu', {}),
      ...network('shop', { alert: 'FrontSlow', culprit: 'store' }),
    );
    assert.deepEqual(sourcesOf(run), ofShop);
    assert.equal(run.report?.root_cause.service, 'store');
    assert.deepEqual(run.checked?.unverifiedClaims, []);
    assert.match(JSON.stringify(run.report), /shop: pool exhausted/);
  });

  it('begins with the metrics of the satellite that the query names, however it lists its sources', async () => {
    const networks = [...network('eu', { culprit: 'cart' }), ...network('shop', { culprit: 'store' })];
    const run = await investigate('front of shop is slow', ...networks);
    assert.deepEqual(sourcesOf(run), ofShop);
    const other = await investigate('front of eu is slow', ...networks);
    assert.deepEqual(sourcesOf(other), ['satellite:eu/logs', 'satellite:eu/prometheus']);
  });

  it('prefers a satellite with an alert where the query names nothing', async () => {
    const networks = [...network('eu'), ...network('shop', { alert: 'FrontSlow', culprit: 'store' })];
    assert.deepEqual(sourcesOf(await investigate('Something broke', sampleIncident(), ...networks)), ofShop);
  });

  it('does not ask a satellite that is away', async () => {
    const away = network('shop', { alert: 'FrontSlow' }).map((source) => ({
      ...source,
      describe: async () => Promise.reject(new SourceError('Satellite shop is offline.')),
    }));
    const run = await investigate('front is slow', ...away, ...network('eu', { culprit: 'store' }));
    assert.deepEqual(sourcesOf(run), ['satellite:eu/logs', 'satellite:eu/prometheus']);
  });

  it('answers in a chat from the metrics of the satellite that is meant', async () => {
    const networks = [...network('eu'), ...network('shop', { alert: 'FrontSlow', culprit: 'store' })];
    const { text, calls } = await openChat(model, { sources: catalogOf(...networks) }).ask(
      'Why is front of shop slow?',
    );
    const used = sourcesIn(calls);
    assert.deepEqual(used, ofShop, text);
  });
});
