import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createSourceCatalog } from '../../../src/features/sources/index.ts';
import { createToolRegistry, sharedTools } from '../../../src/features/tools/index.ts';
import type {
  ListSourcesResult,
  QueryMetricResult,
  RankRootCausesResult,
  SearchLogsResult,
  SearchMetricsResult,
} from '../../../src/features/tools/index.ts';
import { toolContext } from '../../support/tool-context.ts';

const incidentsDir = new URL('../../../demo/incidents/', import.meta.url).pathname;
const incidents = readdirSync(incidentsDir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const registry = createToolRegistry(sharedTools);
const context = toolContext({ sources: createSourceCatalog({ incidentsDir }) });

async function ask<Result>(name: string, input: object): Promise<Result> {
  const output = await registry.invoke(name, input, context);
  assert.equal(output.isError, undefined, `${name}: ${String(output.content)}`);
  assert.ok(String(output.content).length < 60_000, `${name} returned ${output.content.length} characters`);
  const result: Result = JSON.parse(String(output.content));
  return result;
}

describe('tools over the recorded demo incidents', () => {
  it('finds them all', async () => {
    const { sources } = await ask<ListSourcesResult>('list_sources', {});
    assert.deepEqual(
      sources.map(({ id }) => id),
      incidents.map(({ name }) => `incident:${name}`),
    );
    assert.ok(sources.every(({ alerts, error }) => alerts.length > 0 && error === undefined));
  });

  for (const { name } of incidents) {
    it(`answers every question about ${name} from defaults alone`, async () => {
      const source = `incident:${name}`;
      const { sources } = await ask<ListSourcesResult>('list_sources', {});
      const alert = sources.find(({ id }) => id === source)?.alerts[0];
      assert.ok(alert);
      const { causes, notes } = await ask<RankRootCausesResult>('rank_root_causes', { source });
      assert.ok(causes.length > 3 && (causes[0]?.own_score ?? 0) > 1, JSON.stringify(notes));
      const { metrics } = await ask<SearchMetricsResult>('search_metrics', { source, service: alert.service });
      const metric = alert.metric ?? metrics[0]?.metric;
      const { series } = await ask<QueryMetricResult>('query_metric', { source, metric, service: alert.service });
      assert.ok(
        series.some(({ anomaly }) => Math.abs(anomaly.score) > 3),
        JSON.stringify(series.map(({ anomaly }) => anomaly)),
      );
      const { patterns, matched } = await ask<SearchLogsResult>('search_logs', { source });
      assert.ok(matched > 0 && patterns.length > 0);
      assert.ok(patterns.length * 3 < matched, `${patterns.length} patterns in ${matched} lines`);
      await ask('list_services', { source });
      await ask('recent_changes', { source });
      await ask('service_dependencies', { source, service: alert.service });
    });
  }
});
