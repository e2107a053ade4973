import assert from 'node:assert/strict';
import { validateChart, type ChartSpec } from '../../../src/features/charts/index.ts';
import { drawn } from './support.ts';

/** The problems of a chart with something changed: members by dotted path, undefined removes. */
async function problemsOf(chart: ChartSpec, changes: Record<string, unknown>): Promise<string> {
  const changed: Record<string, unknown> = structuredClone(chart);
  for (const [path, value] of Object.entries(changes)) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    const parent = keys.reduce<Record<string, unknown>>(
      (at, key) => (at[key] ??= {}) as Record<string, unknown>,
      changed,
    );
    if (value === undefined) delete parent[last];
    else parent[last] = value;
  }
  const validation = await validateChart(changed);
  return validation.valid ? '' : validation.problems.join('\n');
}

describe('validateChart', () => {
  let line: ChartSpec;
  let bars: ChartSpec;
  before(async () => {
    line = await drawn(
      '{"s":[{"k":"a","points":[["2026-03-01",1],["2026-03-02",2]]},{"k":"b","points":[["2026-03-01",3],["2026-03-02",4]]}]}',
    );
    bars = await drawn('[{"name":"a","n":1},{"name":"b","n":2}]');
  });

  it('takes what the tool draws, unchanged', async () => {
    for (const chart of [line, bars]) {
      const before = structuredClone(chart);
      assert.deepEqual(await validateChart(chart), { valid: true, spec: before });
      assert.deepEqual(chart, before);
    }
  });

  describe('by the real compiler', () => {
    const broken: [what: string, changes: Record<string, unknown>, problem: RegExp][] = [
      ['a type that is none', { 'encoding.y.type': 'numerical' }, /^Vega-Lite: y-scale's "nice" is dropped/],
      ['a scale that is none', { 'encoding.y.scale': { type: 'wavy' } }, /^Vega-Lite: .*wavy/],
      ['a scale that does not fit its field', { 'encoding.y.scale': { type: 'utc' } }, /^Vega-Lite: .*utc/],
      ['an end without a beginning', { 'encoding.x': undefined, 'encoding.x2': { field: 'x' } }, /^Vega-Lite: .*x2/],
    ];
    for (const [what, changes, problem] of broken) {
      it(`refuses ${what}`, async () => assert.match(await problemsOf(line, changes), problem));
    }
  });

  describe('by the data', () => {
    it('refuses a field that the data does not have, which the compiler would not', async () => {
      const problem = /^encoding.color.field: the data has no field "series"; it has: x, y$/;
      assert.match(await problemsOf(bars, { 'encoding.color': { field: 'series', type: 'nominal' } }), problem);
      assert.match(await problemsOf(bars, { 'data.values': [] }), /has no field "x"; it is empty/);
    });

    it('refuses more data than a chart may have', async () => {
      const point = { x: '2026-03-01T00:00:00Z', y: 1, series: 'a' };
      const problem = await problemsOf(line, { 'data.values': Array.from({ length: 5_001 }, () => point) });
      assert.match(problem, /data.values: Too big/);
      const long = Array.from({ length: 4_000 }, () => ({ ...point, series: '€'.repeat(200), label: '€'.repeat(200) }));
      assert.match(await problemsOf(line, { 'data.values': long }), /bytes are more than a chart may have/);
      assert.match(await problemsOf(line, { 'data.values': [{ x: 'a'.repeat(201), y: 1 }] }), /data.values.0.x/);
    });
  });

  describe('by form: nothing that computes, reaches out or reacts', () => {
    const refused: [changes: Record<string, unknown>, problem: RegExp][] = [
      [{ data: { url: 'https://example.com/x.json' } }, /^data.url: a chart may have no addresses$/],
      [
        { 'encoding.y.scale.domain': { expr: 'process.exit()' } },
        /^encoding.y.scale.domain.expr: a chart may have no expressions$/,
      ],
      [{ 'encoding.x.axis.labelExpr': 'fetch("x")' }, /^encoding.x.axis: Unrecognized key: "labelExpr"$/],
      [{ 'title.text': { signal: 'x' } }, /^title.text.signal: a chart may have no signals$/],
      [{ params: [{ name: 'p', select: 'point' }] }, /^params: a chart may have no parameters$/],
      [{ transform: [{ calculate: 'datum.y * 2', as: 'z' }] }, /^transform: a chart may have no transforms$/],
      [{ 'encoding.href': { value: 'javascript:alert(1)' } }, /^encoding.href: a chart may have no addresses$/],
      [{ 'mark.href': 'javascript:alert(1)' }, /^mark.href: a chart may have no addresses$/],
      [{ mark: { type: 'image' } }, /^mark.type: /],
      [{ $schema: 'https://example.com/schema/vega-lite/v6.json' }, /^\$schema: must be "https:\/\/vega.github.io/],
      [{ $schema: 'https://vega.github.io/schema/vega/v6.json' }, /^\$schema: must be/],
      [{ 'usermeta.embedOptions': { loader: {} } }, /embedOptions: a chart may have no options for embedding/],
      [{ 'config.signals': [] }, /signals: a chart may have no signals/],
      [{ 'encoding.color': { condition: { test: 'alert(1)', value: 'red' }, value: 'blue' } }, /^encoding.color: /],
      [{ 'encoding.y.axis.format': '%{constructor}' }, /^encoding.y/],
      [{ 'config.font': 'x; } </style><script>' }, /^config.font/],
      [{ background: 'url(https://example.com)' }, /^background: must be a colour/],
      [{ 'data.values': [{ x: { signal: '1' }, y: 1 }] }, /^data.values.0.x.signal: a chart may have no signals$/],
      [{ 'data.format': { parse: {} } }, /Unrecognized key/],
      [{ usermeta: undefined }, /^usermeta: /],
    ];
    for (const [changes, problem] of refused) {
      it(`refuses ${JSON.stringify(changes)}`, async () => assert.match(await problemsOf(line, changes), problem));
    }

    it('refuses what is no object, or has no end', async () => {
      for (const value of [undefined, null, 1, 'x', [], {}]) assert.equal((await validateChart(value)).valid, false);
      let deep: object = {};
      for (let level = 0; level < 10_000; level++) deep = { deep };
      const validation = await validateChart(deep);
      assert.ok(!validation.valid && /nested too deeply/.test(validation.problems.join()));
    });
  });
});
