import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { scenarios } from '../../demo/scenarios/index.ts';
import { simulateIncident, type SimulatedIncident } from '../../demo/simulator/incident.ts';
import { alertRules, shop } from '../../demo/simulator/shop.ts';
import { incidentFiles, truthFile } from '../../demo/write-incident.ts';
import { createSourceCatalog, SourceError, type Span } from '../../src/features/sources/index.ts';

const demo = resolve(import.meta.dirname, '../../demo');
const incidentsDir = join(demo, 'incidents');
const call = () => ({ signal: new AbortController().signal });

describe('demo incidents', () => {
  const simulated: SimulatedIncident[] = scenarios.map((scenario) => simulateIncident(shop, alertRules, scenario));

  it('are in the repository as the generator makes them, byte for byte', async () => {
    const folders = (await readdir(incidentsDir)).filter((name) => name !== 'README.md').sort();
    assert.deepEqual(folders, scenarios.map(({ id }) => id).sort());
    for (const incident of simulated) {
      const files = incidentFiles(incident);
      assert.deepEqual((await readdir(join(incidentsDir, incident.id))).sort(), [...files.keys()].sort());
      for (const [name, text] of files) {
        const committed = await readFile(join(incidentsDir, incident.id, name), 'utf8');
        assert.ok(committed === text, `${incident.id}/${name} differs: run node demo/generate.ts`);
      }
      assert.equal(await readFile(join(demo, 'truth', `${incident.id}.json`), 'utf8'), truthFile(incident));
    }
    assert.deepEqual((await readdir(join(demo, 'truth'))).sort(), scenarios.map(({ id }) => `${id}.json`).sort());
  });

  it('stay small', async () => {
    let bytes = 0;
    for (const entry of await readdir(incidentsDir, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
    }
    assert.ok(bytes < 8_000_000, `${bytes} bytes`);
  });

  it('have different causes, and not one in three alerts on its cause', () => {
    assert.ok(scenarios.length >= 4);
    const causes = simulated.map(({ truth }) => truth.rootCause.service);
    assert.equal(new Set(causes).size, causes.length);
    const honest = simulated.filter(({ truth, alerts }) => alerts[0]!.service === truth.rootCause.service);
    assert.ok(honest.length * 3 < simulated.length);
    for (const { services, truth } of simulated) {
      assert.ok(services.some(({ name }) => name === truth.rootCause.service));
      assert.ok(services.length >= 7);
    }
  });

  it('page some time after the onset, on data that was healthy before', () => {
    for (const { alerts, truth, baseline } of simulated) {
      const onset = Date.parse(truth.onset) / 1000;
      assert.ok(alerts[0]!.at > onset && alerts[0]!.at < onset + 1800);
      assert.ok(baseline.to <= onset);
    }
  });

  it('hold the evidence: a change at the onset, and words of the cause in the logs of its service', () => {
    const words: Record<string, RegExp> = {
      'checkout-errors': /Connection is not available|Connection leak detection/,
      'storefront-slow': /KEYS cart/,
      'product-pages-slow': /Seq Scan on product_attributes/,
      'orders-slow': /cpu quota/,
      'checkout-degrading': /OOMKilled/,
      'payments-failing': /acquirer\.timeout=250/,
    };
    for (const { id, logs, truth } of simulated) {
      const own = logs.filter(({ service }) => service === truth.rootCause.service);
      assert.ok(
        own.some(({ message }) => words[id]?.test(message)),
        id,
      );
      assert.ok(!logs.some(({ message }) => /root cause/i.test(message)), id);
    }
  });

  it('hold whole traces that follow the calls between services', () => {
    for (const { id, spans, edges } of simulated) {
      const traces = [...Map.groupBy(spans, ({ traceId }) => traceId).values()];
      assert.ok(traces.length >= 90, id);
      const known = new Set(edges.map(({ caller, callee }) => `${caller} ${callee}`));
      for (const trace of traces) {
        const byId = new Map(trace.map((span) => [span.spanId, span]));
        assert.equal(byId.size, trace.length);
        const roots = trace.filter(({ parentId }) => parentId === undefined);
        assert.deepEqual(
          roots.map(({ service }) => service),
          ['web'],
        );
        for (const span of trace) {
          const parent = byId.get(span.parentId ?? '') ?? roots[0]!;
          assert.ok(parent.service === span.service || known.has(`${parent.service} ${span.service}`), span.service);
          assert.ok(span.start >= parent.start && span.durationMs >= 0);
        }
      }
    }
  });

  it('show the fault in the traces of its service', () => {
    for (const { id, spans, truth, alerts } of simulated) {
      const onset = Date.parse(truth.onset) / 1000;
      const own = spans.filter(({ service, kind }) => service === truth.rootCause.service && kind === 'server');
      const statistics = (of: Span[]) => ({
        slowest: Math.max(...of.map(({ durationMs }) => durationMs)),
        failed: of.filter(({ status }) => status === 'error').length / of.length,
      });
      const before = statistics(own.filter(({ start }) => start < onset));
      const after = statistics(own.filter(({ start }) => start > alerts[0]!.at));
      assert.ok(
        after.slowest > 2 * before.slowest || after.failed > before.failed + 0.3,
        `${id}: ${JSON.stringify({ before, after })}`,
      );
    }
  });

  it('can be read whole as sources', async () => {
    const catalog = createSourceCatalog({ incidentsDir });
    assert.deepEqual(
      catalog.list().map(({ id }) => id),
      scenarios.map(({ id }) => `incident:${id}`).sort(),
    );
    for (const source of catalog.list()) {
      const { window, alerts } = await source.describe(call());
      assert.ok(window && alerts.length > 0);
      const services = await source.services!(call());
      assert.ok(services.every(({ metrics, description }) => metrics > 0 && description));
      const series = await source.surveyMetrics!({ ...window, maxPoints: 1000 }, call());
      assert.ok(series.length > 100 && series.every(({ timestamps }) => timestamps.length === 300));
      const logs = await source.searchLogs!({ ...window, limit: 10_000 }, call());
      assert.ok(logs.lines.length > 500);
      assert.equal(logs.unreadable, undefined);
      const traces = await source.sampleSpans!({ ...window, maxSpans: 100_000 }, call());
      const recorded = simulated.find(({ id }) => source.id === `incident:${id}`)!.spans;
      assert.deepEqual([traces.spans.length, traces.sampled], [recorded.length, false]);
      assert.ok((await source.changes!(window, call())).length >= 3);
      assert.ok((await source.dependencies!(window, call())).length >= 15);
    }
  });

  it('keep the truth out of reach', async () => {
    const catalog = createSourceCatalog({ incidentsDir });
    for (const id of [
      'incident:truth',
      'incident:../truth',
      'incident:',
      '../truth',
      'incident:checkout-errors/../../truth',
    ]) {
      assert.throws(() => catalog.get(id), SourceError);
    }
    for (const { id, truth } of simulated) {
      for (const [name, text] of incidentFiles(simulated.find((incident) => incident.id === id)!)) {
        for (const secret of [truth.explanation, truth.rootCause.fault, ...truth.misleading]) {
          assert.ok(!text.includes(secret), `${id}/${name} tells: ${secret}`);
        }
      }
    }
  });
});
