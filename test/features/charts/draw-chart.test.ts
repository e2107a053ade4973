import assert from 'node:assert/strict';
import { chartOf, drawChart, renderSvg } from '../../../src/features/charts/index.ts';
import { toolContext } from '../../support/tool-context.ts';
import { call, channelOf, drawn, refusal, stored, valuesOf, viewOf } from './support.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-03-01T12:00:00Z');
const iso = (minute: number): string => new Date(START + minute * MINUTE).toISOString().replace('.000Z', 'Z');

/** Requests of three services, one row a minute and service. */
const requests = JSON.stringify({
  rows: Array.from({ length: 30 }, (_, index) => ({
    at: iso(Math.floor(index / 3)),
    service: ['web', 'cart', 'db'][index % 3],
    status: index % 10 === 0 ? 500 : 200,
    duration_ms: index + 1,
    size_bytes: index * 1000,
  })),
});
const series = JSON.stringify({
  series: Array.from({ length: 15 }, (_, index) => ({
    host: `host-${index}`,
    points: [0, 1, 2].map((minute) => [iso(minute), index * 10 + minute]),
  })),
});
const names = (chart: Awaited<ReturnType<typeof drawn>>) => [...new Set(valuesOf(chart).map((value) => value.series))];

describe('draw_chart', () => {
  it('answers with the chart, where its points come from, and how many there are', async () => {
    const evidence = stored(requests, 'search_logs');
    const output = await call({ evidence: 1 }, [evidence]);
    const { chart, ...summary } = JSON.parse(output.content);
    const source = { tool_call_id: evidence.toolCallId, sha256: evidence.sha256, tool: 'search_logs' };
    assert.deepEqual(summary, {
      table: 'rows',
      points: 30,
      total_points: 30,
      downsampled: false,
      notes: [],
      source: { ...source, evidence: 1 },
    });
    assert.equal(output.digest, 'Line chart of 3 series, 30 points');
    assert.equal(output.effect, undefined);
    assert.deepEqual(chart.usermeta.casebook, {
      source: { ...source, table: 'rows', path: '$.rows[*]' },
      mark: 'line',
      points: 30,
      total_points: 30,
      series: 3,
      total_series: 3,
      downsampled: false,
      notes: [],
    });
    assert.equal(chart.$schema, 'https://vega.github.io/schema/vega-lite/v6.json');
    assert.deepEqual(chartOf(output.content), chart);
  });

  it('takes any stored result of the team by the id of its call, and exactly one', async () => {
    const evidence = stored(requests);
    const byId = await call({ tool_id: evidence.toolCallId }, [evidence]);
    assert.equal(JSON.parse(byId.content).source.tool_call_id, evidence.toolCallId);
    assert.equal(JSON.parse(byId.content).source.evidence, undefined);
    for (const input of [{}, { evidence: 1, tool_id: evidence.toolCallId }]) {
      assert.match((await call(input, [evidence])).content, /exactly one of evidence and tool_id/);
    }
    assert.match((await call({ evidence: 9 }, [evidence])).content, /no evidence 9 in this conversation/);
    const unknown = { tool_id: '00000000-0000-4000-8000-000000000000' };
    assert.match((await call(unknown, [evidence])).content, /no tool call 00000000/);
  });

  it('lets the model choose nothing but names and values of fixed lists', async () => {
    for (const input of [
      { data: [1] },
      { mark: 'image' },
      { aggregate: 'stdev' },
      { filter: 'datum.x > 1' },
      { expr: '1' },
    ]) {
      assert.match((await call({ evidence: 1, ...input }, [stored(requests)])).content, /is not valid/);
    }
  });

  it('names the tables and columns there are when others are asked for', async () => {
    const content =
      '{"causes":[{"service":"a","score":1},{"service":"b","score":2}],"notes":[{"text":"x","n":1},{"text":"y","n":2}]}';
    const output = await call({ evidence: 1, table: 'cause' }, [stored(content)]);
    assert.equal(output.isError, true);
    assert.deepEqual(JSON.parse(output.content), {
      error: '"cause" is not a table of this result; its tables are: "causes", "notes"',
      tables: [
        { table: 'causes', rows: 2, columns: ['service (nominal)', 'score (quantitative)'] },
        { table: 'notes', rows: 2, columns: ['text (nominal)', 'n (quantitative)'] },
      ],
    });
    assert.match(
      await refusal(content, { y: 'latency' }),
      /"latency" is not a column of table "causes", which has: service \(nominal\)/,
    );
    assert.match(await refusal(content, { y: 'service' }), /"service" holds no numbers/);
    assert.match(await refusal('no table here', {}), /There is no table in this result/);
    assert.match(
      await refusal('[{"a":"x"},{"a":"y"}]', { aggregate: 'sum' }),
      /no column of numbers; use aggregate "count"/,
    );
  });

  it('refuses to draw a chart of a chart, and says of what to draw', async () => {
    const first = stored(requests);
    const chart = stored((await call({ evidence: 1 }, [first])).content, 'draw_chart', 2);
    const output = await call({ evidence: 2 }, [first, chart]);
    assert.match(output.content, new RegExp(`draw from its source: tool_id ${first.toolCallId}`));
  });

  it('stops when aborted', async () => {
    const context = toolContext({ evidence: [stored(requests)], signal: AbortSignal.abort(new Error('stop')) });
    await assert.rejects(drawChart.run({ evidence: 1 }, context), /stop/);
  });
});

describe('draw_chart: what is drawn', () => {
  it('several columns of numbers, in a unit only where all have it', async () => {
    const chart = await drawn(requests, {
      y: ['duration_ms', 'size_bytes'],
      filter: [{ column: 'service', equals: 'web' }],
    });
    assert.deepEqual(new Set(names(chart)), new Set(['duration_ms', 'size_bytes']));
    assert.equal(channelOf(chart, 'y')?.title, 'duration_ms, size_bytes');
    assert.ok(chart.usermeta.casebook.notes.includes('The columns have different units'));
    assert.equal(channelOf(await drawn(requests, { y: 'duration_ms' }), 'y')?.title, 'duration_ms (ms)');
  });

  it('columns by the end of their names, in any case', async () => {
    const content = JSON.stringify([
      { labels: { Service: 'a' }, n: 1 },
      { labels: { Service: 'b' }, n: 2 },
    ]);
    assert.deepEqual(valuesOf(await drawn(content, { x: 'service', y: 'N' })), [
      { x: 'b', y: 2 },
      { x: 'a', y: 1 },
    ]);
    const twice = '[{"a":{"n":1},"b":{"n":2},"k":"x"},{"a":{"n":3},"b":{"n":4},"k":"y"}]';
    assert.match(await refusal(twice, { y: 'n' }), /"n" names several columns/);
  });

  it('rows that match a filter, by text, number, time and range', async () => {
    const count = async (...filter: object[]) => valuesOf(await drawn(requests, { filter, mark: 'point' })).length;
    assert.equal(await count({ column: 'service', equals: 'web' }), 10);
    assert.equal(await count({ column: 'service', equals: ['web', 'db'] }), 20);
    assert.equal(await count({ column: 'status', equals: '500' }), 3);
    assert.equal(await count({ column: 'duration_ms', from: 5, to: '9' }), 5);
    assert.equal(await count({ column: 'at', from: iso(2), to: '2026-03-01 14:03:00+02:00' }), 6);
    assert.equal(await count({ column: 'at', equals: START / 1000 }), 3);
    assert.equal(await count({ column: 'service', equals: 'web' }, { column: 'duration_ms', from: 28 }), 1);
    const note = (await drawn(requests, { filter: [{ column: 'service', equals: 'web' }] })).usermeta.casebook.notes;
    assert.deepEqual(note, ['Only rows where service is web']);
  });

  it('nothing of a filter that matches nothing or cannot be read, with the values there are', async () => {
    const filtered = (filter: object) => refusal(requests, { filter: [filter] });
    assert.match(
      await filtered({ column: 'service', equals: 'wbe' }),
      /No row of "rows" matches. "service" has 3 values: web, cart, db/,
    );
    assert.match(await filtered({ column: 'service', from: 1 }), /holds text: filter it by equals/);
    assert.match(await filtered({ column: 'at', from: 'yesterday' }), /"yesterday" is not a time/);
    assert.match(await filtered({ column: 'duration_ms', to: 'many' }), /"many" is not a number/);
    assert.match(await filtered({ column: 'service' }), /needs equals, from or to/);
  });

  it('aggregates by category: mean, sum, min, max and count', async () => {
    const of = async (aggregate: string) => {
      const chart = await drawn(requests, { x: 'service', y: 'duration_ms', aggregate });
      return Object.fromEntries(valuesOf(chart).map(({ x, y }) => [x, y]));
    };
    assert.deepEqual(await of('mean'), { web: 14.5, cart: 15.5, db: 16.5 });
    assert.deepEqual(await of('sum'), { web: 145, cart: 155, db: 165 });
    assert.deepEqual(await of('min'), { web: 1, cart: 2, db: 3 });
    assert.deepEqual(await of('max'), { web: 28, cart: 29, db: 30 });
    assert.deepEqual(await of('count'), { web: 10, cart: 10, db: 10 });
    const chart = await drawn(requests, { x: 'service', y: 'duration_ms', aggregate: 'mean' });
    assert.equal(channelOf(chart, 'x')?.title, 'mean of duration_ms (ms)');
    assert.equal(chart.usermeta.casebook.aggregate, 'mean');
  });

  it('aggregates over time: at each time there is, or by stretches of time when there are many', async () => {
    const sums = await drawn(requests, { y: 'duration_ms', aggregate: 'sum', series: [] });
    assert.deepEqual(valuesOf(sums).slice(0, 2), [
      { x: iso(0), y: 6 },
      { x: iso(1), y: 15 },
    ]);
    const apart = await drawn(JSON.stringify(Array.from({ length: 20 }, (_, index) => ({ at: iso(index), n: 1 }))), {
      aggregate: 'sum',
    });
    assert.equal(channelOf(apart, 'y')?.title, 'sum of n per 30 s');
    const long = JSON.stringify(Array.from({ length: 3_000 }, (_, index) => ({ at: iso(index), n: index % 50 })));
    const most = await drawn(long, { aggregate: 'max' });
    assert.equal(channelOf(most, 'y')?.title, 'max of n per h');
    assert.equal(valuesOf(most).length, 50);
    assert.ok(valuesOf(most).every(({ y }) => y === 49));
  });

  it('counts of log lines per stretch of time, by level, every line once', async () => {
    const log = Array.from(
      { length: 600 },
      (_, index) => `${iso(index)} ${index % 4 ? 'INFO' : 'ERROR'} took=${index}ms`,
    );
    const chart = await drawn(log.join('\n'));
    assert.equal(viewOf(chart).mark.type, 'bar');
    assert.equal(channelOf(chart, 'y')?.title, 'count per 10 min');
    assert.equal(channelOf(chart, 'y')?.stack, 'zero');
    const totals = Object.groupBy(valuesOf(chart), ({ series: name }) => String(name));
    const sum = (level: string) => totals[level]?.reduce((total, { y }) => total + (y ?? 0), 0);
    assert.deepEqual([sum('INFO'), sum('ERROR')], [450, 150]);
    for (const { x, x_end: end } of valuesOf(chart))
      assert.equal(Date.parse(String(end)) - Date.parse(String(x)), 10 * MINUTE);
    const took = await drawn(log.join('\n'), { y: 'took (ms)', series: [] });
    assert.equal(viewOf(took).mark.type, 'line');
    assert.equal(valuesOf(took)[7]?.y, 7);
  });

  it('only the series or categories with the greatest values, and says so', async () => {
    const usual = await drawn(series);
    assert.equal(names(usual).length, 12);
    assert.deepEqual(usual.usermeta.casebook.notes, ['12 of 15 series shown, those with the greatest values']);
    assert.ok(usual.title.subtitle?.join(' ').includes('12 of 15 series shown'));
    const two = await drawn(series, { top: 2 });
    assert.deepEqual(names(two), ['host-14', 'host-13']);
    assert.deepEqual([two.usermeta.casebook.series, two.usermeta.casebook.total_series], [2, 15]);
    const categories = await drawn(series, { x: 'host', aggregate: 'max', top: 3 });
    assert.deepEqual(
      valuesOf(categories).map(({ x, y }) => [x, y]),
      [
        ['host-14', 142],
        ['host-13', 132],
        ['host-12', 122],
      ],
    );
  });

  it('bars by category; grouped, or stacked where they add up', async () => {
    const grouped = await drawn(requests, { x: 'service', series: 'status', aggregate: 'max', y: 'duration_ms' });
    assert.equal(channelOf(grouped, 'yOffset')?.field, 'series');
    assert.equal(channelOf(grouped, 'x')?.stack, null);
    const stacked = await drawn(requests, { x: 'service', series: 'status', aggregate: 'count' });
    assert.equal(channelOf(stacked, 'yOffset'), undefined);
    assert.equal(channelOf(stacked, 'x')?.stack, 'zero');
    assert.deepEqual(new Set(names(stacked)), new Set(['200', '500']));
  });

  it('a series for each kind of row, also when no two rows have the same time', async () => {
    const rows = Array.from({ length: 12 }, (_, index) => ({
      at: iso(index),
      host: ['a', 'b'][index % 2],
      load: index,
    }));
    assert.deepEqual(names(await drawn(JSON.stringify(rows))), ['b', 'a']);
    assert.deepEqual(names(await drawn(JSON.stringify(rows), { series: [] })), [undefined]);
  });

  it('points where a line cannot be, and no line where it was asked for', async () => {
    const request = { x: 'service', y: 'duration_ms' };
    assert.equal(viewOf(await drawn(requests, request)).mark.type, 'point');
    assert.match(await refusal(requests, { ...request, mark: 'bar' }), /Several rows have the same place/);
    assert.match(await refusal(requests, { mark: 'line', series: [] }), /Several rows have the same place/);
    assert.match(await refusal(requests, { ...request, mark: 'line' }), /Mark "line" needs a time or a number across/);
    const scatter = await drawn(requests, { x: 'duration_ms', y: 'size_bytes', series: 'service' });
    assert.deepEqual([viewOf(scatter).mark.type, channelOf(scatter, 'x')?.type], ['point', 'quantitative']);
  });

  it('no number that an axis cannot be made for, and says so', async () => {
    const of = (...numbers: string[]) => `[${numbers.map((n, at) => `{"at":"${iso(at)}","n":${n}}`).join()}]`;
    const chart = await drawn(of('1', '5e-324', '1.7e308', '2', '1e999'));
    assert.deepEqual(
      valuesOf(chart).map(({ y }) => y),
      [1, null, null, 2, null],
    );
    assert.deepEqual(chart.usermeta.casebook.notes, ['2 numbers too large or too small to draw left out']);
    assert.match(await refusal(of('1e300', '-1e300'), {}), /no numbers to draw/);
    for (const numbers of [
      ['1e100', '-1e100'],
      ['1e-100', '1e100'],
      ['1', '1.0000000000000002'],
      ['0', '0'],
      ['9007199254740993', '9007199254740992'],
    ]) {
      for (const log of [false, true])
        await renderSvg(await drawn(of(...numbers), { log }), { signal: new AbortController().signal });
    }
  });

  it('a logarithmic scale, linear around zero where there are zeros, and none under bars', async () => {
    const scaleOf = async (request: object) => channelOf(await drawn(requests, { log: true, ...request }), 'y')?.scale;
    assert.equal((await scaleOf({ y: 'duration_ms' }))?.type, 'log');
    assert.deepEqual(await scaleOf({ y: 'size_bytes' }), { type: 'symlog', constant: 1000, nice: true });
    const ticksOf = async (y: string) => channelOf(await drawn(requests, { log: true, y }), 'y')?.axis?.values;
    assert.deepEqual(await ticksOf('duration_ms'), [1, 10, 100]);
    assert.deepEqual(await ticksOf('size_bytes'), [0, 1_000, 10_000, 100_000]);
    assert.match(await refusal(requests, { log: true, mark: 'bar' }), /no zero for mark "bar" to stand on/);
  });

  it('moments as events, by their texts, and over another chart', async () => {
    const events = JSON.stringify({
      changes: [
        { at: iso(2), kind: 'deploy', summary: 'web 2' },
        { at: iso(1), kind: 'config', summary: 'pool 5' },
      ],
    });
    const alone = await drawn(events);
    assert.deepEqual(
      valuesOf(alone).map(({ x, label }) => [x, label]),
      [
        [iso(1), 'pool 5'],
        [iso(2), 'web 2'],
      ],
    );
    const over = await drawn(requests, { events: { evidence: 2 } }, [stored(events, 'recent_changes', 2)]);
    assert.ok('layer' in over);
    assert.deepEqual(
      over.layer
        .at(-1)
        ?.data?.values.map(({ label }) => label)
        .sort(),
      ['pool 5', 'web 2'],
    );
    const same = await drawn(requests, {
      y: 'duration_ms',
      events: { table: 'rows', filter: [{ column: 'status', equals: 500 }], y: 'service' },
    });
    assert.ok('layer' in same);
    assert.equal(same.layer[1]?.data?.values.length, 3);
    const output = await call({ evidence: 1, x: 'service', aggregate: 'count', events: { evidence: 2 } }, [
      stored(requests),
      stored(events, 'recent_changes', 2),
    ]);
    assert.match(output.content, /Events can only be marked over a chart that has times across/);
    assert.match(
      await refusal('[{"a":1,"b":"x"},{"a":2,"b":"y"}]', { mark: 'event' }),
      /Events need a column of times/,
    );
  });

  it('says on the chart that the result, or the reading of it, was not whole', async () => {
    const cut = { ...stored('a,b\nx,1\ny,2\n'), characters: 9_999 };
    const { notes } = JSON.parse((await call({ evidence: 1 }, [cut])).content);
    assert.deepEqual(notes, ['The tool left something out of its result']);
  });
});

describe('chartOf', () => {
  it('is undefined for whatever is no result of draw_chart', async () => {
    const { content } = await call({ evidence: 1 }, [stored(requests)]);
    const result = JSON.parse(content);
    for (const text of ['', 'no JSON', 'null', '[]', '{}', '{"chart":null}', '{"error":"x"}', '{'.repeat(100_000)]) {
      assert.equal(chartOf(text), undefined, text.slice(0, 20));
    }
    for (const change of [
      { data: { url: 'https://example.com/data.json' } },
      { params: [] },
      { $schema: 'https://example.com/v6.json' },
      { usermeta: undefined },
      { mark: 'image' },
    ]) {
      assert.equal(chartOf(JSON.stringify({ ...result, chart: { ...result.chart, ...change } })), undefined);
    }
    assert.ok(chartOf(content));
  });
});
