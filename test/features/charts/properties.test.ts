import assert from 'node:assert/strict';
import fc from 'fast-check';
import { chartOf, renderSvg, validateChart } from '../../../src/features/charts/index.ts';
import { call, drawn, stored, valuesOf } from './support.ts';
import { fewRuns } from '../../support/few-runs.ts';

const START = Date.parse('2026-03-01T00:00:00Z');

const value = fc.option(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer()), { freq: 8 });
const label = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 100 }), fc.constantFrom('web', 'cart', 'a'.repeat(90)));
const series = fc.record({
  labels: fc.dictionary(fc.constantFrom('service', 'host', 'region'), label),
  points: fc.array(fc.tuple(fc.integer({ min: 0, max: 1_000_000 }), value), { minLength: 1, maxLength: 60 }),
});
/** As any tool might return it: series in any order, their points too, each time once in a series. */
const result = fc
  .array(series, { minLength: 1, maxLength: 14 })
  .map((all) =>
    all.map(({ labels, points }, index) => ({ labels: { ...labels, id: `s${index}` }, points: new Map(points) })),
  );

/** Of numbers beyond these no axis can be made. */
const isDrawable = (one: number | null): boolean =>
  one === null || one === 0 || (Math.abs(one) >= 1e-100 && Math.abs(one) <= 1e100);

type Result = { labels: Record<string, string>; points: Map<number, number | null> }[];

const written = {
  iso: (second: number): unknown => new Date(START + second * 1000).toISOString(),
  seconds: (second: number): unknown => START / 1000 + second,
  milliseconds: (second: number): unknown => START + second * 1000,
};

function contentOf(all: Result, form: keyof typeof written): string {
  return JSON.stringify({
    series: all.map(({ labels, points }) => ({ labels, points: [...points].map(([at, y]) => [written[form](at), y]) })),
  });
}

describe('every value that is drawn', () => {
  it('is a value of the stored result, at its own time and in its own series', async () => {
    await fc.assert(
      fc.asyncProperty(result, fc.constantFrom('iso', 'seconds', 'milliseconds'), async (all, form) => {
        fc.pre(all.some(({ points }) => [...points.values()].some((one) => one !== null && isDrawable(one))));
        const chart = await drawn(contentOf(all, form), { series: 'labels.id' });
        const byName = new Map(all.map(({ labels, points }) => [labels.id, points]));
        for (const { x, y, series: name } of valuesOf(chart)) {
          const points = byName.get(String(name));
          assert.ok(points, `there is no series ${name}`);
          const second = (Date.parse(String(x)) - START) / 1000;
          assert.ok(points.has(second), `there is no point at ${x}`);
          const given = points.get(second) ?? null;
          assert.ok(y === (isDrawable(given) ? given : null), `${y} at ${x} in ${name} is ${given}`);
        }
      }),
      fewRuns(60),
    );
  });

  it('is drawn whatever the result is, or the answer says why not; what is drawn is valid', async () => {
    const junk = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.integer(),
      fc.constantFrom('2026-03-01', null, true),
    );
    const time = fc.integer({ min: 0, max: 10_000 }).map((minute) => new Date(START + minute * 60_000).toISOString());
    const clean = { at: time, n: value, name: label };
    const tables = fc.oneof(
      fc.array(fc.record(clean), { minLength: 1, maxLength: 40 }),
      fc.array(fc.tuple(time, value), { minLength: 1 }),
      fc.array(
        fc.dictionary(fc.constantFrom('at', 'n', 'name', '__proto__', 'x.y', ''), junk, { noNullPrototype: true }),
      ),
      fc.array(fc.array(junk, { minLength: 2, maxLength: 3 })),
      fc.jsonValue(),
    );
    const content = fc.oneof(
      tables.map((one) => JSON.stringify({ one })),
      fc
        .tuple(tables, tables)
        .map((both) => JSON.stringify(Object.fromEntries(both.map((one, index) => [`t${index}`, one])))),
      fc
        .array(fc.tuple(time, fc.constantFrom('1', '2', '')), { minLength: 2 })
        .map((rows) => `at,n\n${rows.join('\n')}`),
      fc.array(time, { minLength: 2 }).map((times) => times.map((one) => `${one} ERROR n=5ms`).join('\n')),
      fc.string({ unit: 'binary' }),
    );
    const column = fc.constantFrom('at', 'n', 'name');
    const maybe = <T>(arbitrary: fc.Arbitrary<T>) =>
      fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
    const request = fc.record({
      x: maybe(column),
      y: maybe(fc.oneof(column, fc.uniqueArray(column, { minLength: 1, maxLength: 3 }))),
      series: maybe(fc.oneof(column, fc.constant([]))),
      mark: maybe(fc.constantFrom('line', 'area', 'bar', 'point', 'event')),
      aggregate: maybe(fc.constantFrom('mean', 'sum', 'min', 'max', 'count')),
      top: maybe(fc.integer({ min: 1, max: 50 })),
      log: maybe(fc.boolean()),
    });
    let charts = 0;
    await fc.assert(
      fc.asyncProperty(content, request, async (text, asked) => {
        const output = await call({ evidence: 1, ...asked }, [stored(text)]);
        if (output.isError) assert.equal(typeof JSON.parse(output.content).error, 'string');
        else {
          const chart = chartOf(output.content);
          assert.ok(chart, output.content.slice(0, 300));
          assert.equal((await validateChart(chart)).valid, true);
          await renderSvg(chart, { signal: new AbortController().signal });
          charts += 1;
        }
      }),
      fewRuns(150),
    );
    assert.ok(charts > 0);
  });
});

describe('a chart of more than can be drawn', () => {
  const many = (count: number, length: number, name: (index: number) => string): string =>
    JSON.stringify(
      Array.from({ length: count }, (_, index) => ({
        name: name(index),
        points: Array.from({ length }, (_, second) => [
          START / 1000 + second,
          second === 777 ? 1e6 + index : second === 778 ? -1e6 - index : Math.sin(second / 50 + index),
        ]),
      })),
    );

  it('has at most 5,000 points, keeps the lows and highs of each series, and says so', async () => {
    const chart = await drawn(many(10, 5_000, (index) => `s${index}`));
    const { points, total_points: total, downsampled, notes } = chart.usermeta.casebook;
    assert.ok(points <= 5_000 && points > 4_500, String(points));
    assert.equal(points, valuesOf(chart).length);
    assert.equal(total, 50_000);
    assert.equal(downsampled, true);
    assert.match(notes.join(), new RegExp(`${points} of 50000 points shown, lows and highs kept`));
    assert.match(chart.title.subtitle?.join() ?? '', /lows and highs kept/);
    for (let index = 0; index < 10; index++) {
      const own = valuesOf(chart).filter(({ series: name }) => name === `s${index}`);
      assert.ok(own.some(({ y }) => y === 1e6 + index) && own.some(({ y }) => y === -1e6 - index), `series ${index}`);
    }
  });

  it('leaves short series whole when long ones are thinned', async () => {
    const long = JSON.parse(many(1, 20_000, () => 'long'));
    const short = {
      name: 'short',
      points: Array.from({ length: 500 }, (_, second) => [START / 1000 + second * 40, 2e6 + second]),
    };
    const chart = await drawn(JSON.stringify([...long, short]));
    assert.equal(valuesOf(chart).filter(({ series: name }) => name === 'short').length, 500);
    assert.ok(valuesOf(chart).length <= 5_000);
  });

  it('has at most 512 kB of data, however long its texts are', async () => {
    const chart = await drawn(many(12, 2_000, (index) => `${index}${'漢'.repeat(200)}`));
    assert.ok(Buffer.byteLength(JSON.stringify(chart.data.values)) <= 512_000);
    assert.ok(valuesOf(chart).length > 1_000);
    assert.equal(new Set(valuesOf(chart).map(({ series: name }) => name)).size, 12);
  });

  it('is drawn of very many names that begin alike', async () => {
    const rows = Array.from({ length: 50_000 }, (_, index) => ({ name: `${'x'.repeat(100)}${index}`, n: index }));
    const chart = await drawn(JSON.stringify(rows), { x: 'name' });
    assert.deepEqual(
      valuesOf(chart)
        .slice(0, 2)
        .map(({ y }) => y),
      [49_999, 49_998],
    );
    assert.match(chart.usermeta.casebook.notes.join(), /30 of 50000 categories shown/);
    const lines = await drawn(JSON.stringify(rows.map((row, index) => ({ ...row, at: START + index }))), {
      series: 'name',
      mark: 'point',
    });
    assert.match(lines.usermeta.casebook.notes.join(), /12 of 50000 series shown/);
  });
});
