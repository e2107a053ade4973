import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { renderSvg } from '../../../src/features/charts/index.ts';
import { createSourceCatalog } from '../../../src/features/sources/index.ts';
import type { SourceCatalog } from '../../../src/features/sources/port.ts';
import { createToolRegistry, sharedTools } from '../../../src/features/tools/index.ts';
import { catalogOf, memorySource, sampleIncident } from '../../support/telemetry-source.ts';
import { toolContext } from '../../support/tool-context.ts';
import { assertFromResult, call, channelOf, drawn, parseSvg, stored, valuesOf, viewOf } from './support.ts';

const incidentsDir = new URL('../../../demo/incidents/', import.meta.url).pathname;
const incidents = readdirSync(incidentsDir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const registry = createToolRegistry(sharedTools);
const { signal } = new AbortController();

async function ask(sources: SourceCatalog, name: string, input: object): Promise<string> {
  const output = await registry.invoke(name, input, toolContext({ sources }));
  assert.equal(output.isError, undefined, String(output.content));
  return String(output.content);
}

describe('charts of what the tools return, without a choice', () => {
  const shop = catalogOf(sampleIncident());

  const usual: [
    tool: string,
    input: object,
    expected: { table: string; mark: string; x: string; y?: string; title: string },
  ][] = [
    [
      'list_sources',
      {},
      { table: 'sources.alerts', mark: 'point', x: 'temporal', y: 'nominal', title: 'summary over time' },
    ],
    [
      'list_services',
      { source: 'shop' },
      { table: 'services', mark: 'bar', x: 'quantitative', y: 'nominal', title: 'metrics by name' },
    ],
    [
      'search_metrics',
      { source: 'shop' },
      { table: 'metrics', mark: 'bar', x: 'quantitative', y: 'nominal', title: 'serviceCount by metric' },
    ],
    [
      'query_metric',
      { source: 'shop', metric: 'latency_seconds' },
      {
        table: 'series.points',
        mark: 'line',
        x: 'temporal',
        y: 'quantitative',
        title: 'latency_seconds (s) by service',
      },
    ],
    [
      'search_logs',
      { source: 'shop' },
      { table: 'patterns', mark: 'bar', x: 'quantitative', y: 'nominal', title: 'count by pattern' },
    ],
    [
      'service_dependencies',
      { source: 'shop', service: 'web' },
      { table: 'edges', mark: 'bar', x: 'quantitative', y: 'nominal', title: 'calls_per_second (/s) by callee' },
    ],
    [
      'recent_changes',
      { source: 'shop' },
      { table: 'changes', mark: 'point', x: 'temporal', y: 'nominal', title: 'summary over time' },
    ],
    [
      'rank_root_causes',
      { source: 'shop' },
      { table: 'causes', mark: 'bar', x: 'quantitative', y: 'nominal', title: 'score by service' },
    ],
  ];

  for (const [tool, input, expected] of usual) {
    it(`draws ${tool} by its most telling table`, async () => {
      const content = await ask(shop, tool, input);
      const chart = await drawn(content);
      assert.deepEqual(
        {
          table: chart.usermeta.casebook.source.table,
          mark: viewOf(chart).mark.type,
          x: channelOf(chart, 'x')?.type,
          y: channelOf(chart, 'y')?.type,
          title: chart.title.text,
        },
        expected,
      );
      assertFromResult(chart, content);
      parseSvg(await renderSvg(chart, { signal }));
    });
  }

  it('draws promql with a line for each set of labels', async () => {
    const series = ['a', 'b'].map((instance) => ({
      labels: { job: 'web', instance },
      timestamps: [1_772_366_400, 1_772_366_460, 1_772_366_520],
      values: [1, instance === 'a' ? 2 : Number.NaN, 3],
    }));
    const source = memorySource({ id: 'prom', promql: () => series });
    const content = await ask(catalogOf(source), 'promql', {
      source: 'prom',
      expr: 'up',
      from: 1_772_366_400,
      to: 1_772_366_700,
    });
    const chart = await drawn(content);
    assert.equal(viewOf(chart).mark.type, 'line');
    assert.equal(channelOf(chart, 'y')?.title, 'up');
    assert.equal(channelOf(chart, 'color')?.title, 'labels.instance');
    assert.deepEqual(
      valuesOf(chart).filter(({ series: name }) => name === 'b'),
      [
        { x: '2026-03-01T12:00:00Z', y: 1, series: 'b' },
        { x: '2026-03-01T12:01:00Z', y: null, series: 'b' },
        { x: '2026-03-01T12:02:00Z', y: 3, series: 'b' },
      ],
    );
    assertFromResult(chart, content);
  });

  it('refuses what the model said itself, or only read again', async () => {
    const plan = stored('{"items":[{"text":"a","n":1},{"text":"b","n":2}]}', 'update_plan');
    assert.match((await call({ evidence: 1 }, [plan])).content, /holds no data/);
    const part = stored(
      'Evidence 7 (promql, 9 characters), characters 0-9; this is the end:\n{"a":[]}',
      'read_tool_result',
    );
    assert.match((await call({ evidence: 1 }, [part])).content, /draw evidence 7/);
  });
});

describe('charts of the recorded demo incidents', () => {
  const sources = createSourceCatalog({ incidentsDir });

  for (const { name } of incidents) {
    it(`draws every result about ${name}, with values of that result only`, async () => {
      const source = `incident:${name}`;
      const ranking = JSON.parse(await ask(sources, 'rank_root_causes', { source }));
      const { service, metric } = ranking.alert;
      const questions: [string, object][] = [
        ['rank_root_causes', { source }],
        ['query_metric', { source, metric }],
        ['query_metric', { source, metric, service }],
        ['search_metrics', { source, service }],
        ['list_services', { source }],
        ['search_logs', { source }],
        ['recent_changes', { source }],
        ['service_dependencies', { source, service }],
      ];
      for (const [tool, input] of questions) {
        const content = await ask(sources, tool, input);
        const chart = await drawn(content);
        assert.ok(valuesOf(chart).length > 0, tool);
        assertFromResult(chart, content);
        const { texts } = parseSvg(await renderSvg(chart, { signal }));
        assert.ok(texts.includes(chart.title.text), `${tool}: ${chart.title.text}`);
      }
    });
  }

  it('marks what was changed over the latency it is suspected of', async () => {
    const source = 'incident:checkout-degrading';
    const latency = await ask(sources, 'query_metric', { source, metric: 'latency', service: 'checkout' });
    const changes = stored(await ask(sources, 'recent_changes', { source }), 'recent_changes', 2);
    const chart = await drawn(latency, { events: { evidence: 2 } }, [changes]);
    assert.ok('layer' in chart);
    const [, rules, ...texts] = chart.layer;
    const { from, to }: Record<string, string> = JSON.parse(latency).window;
    const expected = JSON.parse(changes.content)
      .changes.map(({ at }: { at: string }) => at)
      .filter((at: string) => at >= from! && at < to!)
      .sort();
    assert.deepEqual(
      rules?.data?.values.map(({ x }) => x),
      expected,
    );
    assert.equal(texts.flatMap(({ data }) => data?.values ?? []).length, expected.length);
    assert.equal(chart.usermeta.casebook.events?.tool_call_id, changes.toolCallId);
    assert.match(
      chart.usermeta.casebook.notes.join(),
      /3 of 4 events of recent_changes \(changes\) lie in the time shown/,
    );
    parseSvg(await renderSvg(chart, { signal }));
  });
});
