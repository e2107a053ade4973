/** The graph of whole investigations by the offline model, of every recorded incident, against what is known of it. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildGraph, type GraphInput } from '../../../../src/features/investigations/graph/build.ts';
import { createSourceCatalog } from '../../../../src/features/sources/index.ts';
import { startOfflineModel, type RunningServer } from '@casebook/offline-model';
import { createModelClient, type ModelClient } from '../../../../src/platform/anthropic/index.ts';
import { runInvestigation, type Run } from '../../../offline-model/support/run-investigation.ts';

const demo = join(import.meta.dirname, '../../../../demo');
const incidents = readdirSync(join(demo, 'truth')).map((file) => file.replace('.json', ''));

/** How the fault reached whoever alerted, in the words of demo/truth. */
const FAULT_PATHS: Record<string, string[]> = {
  'checkout-degrading': ['checkout'],
  'checkout-errors': ['web', 'gateway', 'checkout', 'inventory'],
  'orders-slow': ['checkout', 'payment', 'fraud'],
  'payments-failing': ['checkout', 'payment'],
  'product-pages-slow': ['web', 'gateway', 'catalog', 'postgres-catalog'],
  'storefront-slow': ['web', 'gateway', 'cart', 'redis-cart'],
};

interface Incident {
  title: string;
  alerts: { name: string; at: string; summary: string }[];
}

function inputOf(run: Run, upTo = run.evidence.length): GraphInput {
  const done = run.evidence.slice(0, upTo);
  return {
    report: upTo === run.evidence.length ? (run.checked ?? null) : null,
    isRunning: upTo < run.evidence.length,
    results: done.map(({ toolCallId, evidence, tool, content }) => ({ toolCallId, evidence, tool, content })),
    looks: done.flatMap(({ toolCallId, evidence }, index) => {
      const { service } = (run.calls[index]?.input ?? {}) as { service?: string };
      return service === undefined ? [] : [{ toolCallId, evidence, service }];
    }),
    omitted: 0,
  };
}

describe('the graph of an investigation: recorded incidents', () => {
  const sources = createSourceCatalog({ incidentsDir: join(demo, 'incidents') });
  let server: RunningServer;
  let model: ModelClient;
  before(async () => {
    server = await startOfflineModel();
    model = createModelClient({ offlineBaseUrl: server.url });
  });
  after(() => server.stop());

  it('has a path for every incident', () => assert.deepEqual(Object.keys(FAULT_PATHS).sort(), [...incidents].sort()));

  for (const name of incidents) {
    it(`${name}: the suspect is the cause, and the fault goes the way it went`, async () => {
      const incident = JSON.parse(readFileSync(join(demo, 'incidents', name, 'incident.json'), 'utf8')) as Incident;
      const truth = JSON.parse(readFileSync(join(demo, 'truth', `${name}.json`), 'utf8')) as {
        rootCause: { service: string };
      };
      const [alert] = incident.alerts;
      assert.ok(alert);
      const query = `${incident.title}. Alert ${alert.name} fired at ${alert.at}: ${alert.summary}. What is the root cause?`;
      const run = await runInvestigation(model, { query, sources });
      const graph = buildGraph(inputOf(run));
      assert.deepEqual(graph.fault_path, FAULT_PATHS[name]);
      assert.equal(graph.suspect, truth.rootCause.service);
      assert.equal(graph.alerting, FAULT_PATHS[name]?.[0]);
      assert.deepEqual([graph.is_tentative, graph.truncated], [false, false]);
      assert.equal(graph.services[0]?.name, graph.suspect);
      const marked = graph.calls.filter((call) => call.on_fault_path);
      assert.equal(marked.length, graph.fault_path.length - 1);
      const suspect = graph.services[0];
      assert.ok(suspect.evidence.length > 0, 'what speaks against the suspect can be opened');

      // While it runs the graph grows, and never fails.
      for (let upTo = 0; upTo < run.evidence.length; upTo++) {
        const early = buildGraph(inputOf(run, upTo));
        assert.equal(early.is_tentative, early.suspect !== null);
      }
    });
  }
});
