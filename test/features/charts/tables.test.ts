import assert from 'node:assert/strict';
import fc from 'fast-check';
import { tablesIn } from '../../../src/features/charts/index.ts';
import { scalarsIn } from './support.ts';

const brief = (content: string) =>
  tablesIn(content).map(({ name, columns, rows }) => ({
    name,
    columns: columns.map((column) => `${column.name}: ${column.type}`),
    rows: rows.length,
  }));
const table = (content: string, name?: string) => {
  const found = tablesIn(content).find((one) => name === undefined || one.name === name);
  assert.ok(found, `no table ${name} in ${content.slice(0, 200)}`);
  return found;
};
const types = (content: string) => Object.fromEntries(table(content).columns.map(({ name, type }) => [name, type]));

describe('tables of a JSON result', () => {
  it('are arrays of objects; what is nested carries the columns of what it is nested in', () => {
    const result = {
      source: 'shop',
      causes: [
        {
          service: 'web',
          score: 3,
          best: { service: 'db' },
          signals: [
            { metric: 'a', score: 1 },
            { metric: 'b', score: 2 },
          ],
        },
        { service: 'db', score: 2, signals: [{ metric: 'c', score: 7 }] },
      ],
    };
    assert.deepEqual(brief(JSON.stringify(result)), [
      { name: 'causes', columns: ['service: nominal', 'score: quantitative', 'best.service: nominal'], rows: 2 },
      {
        name: 'causes.signals',
        columns: [
          'metric: nominal',
          'score: quantitative',
          'service: nominal',
          'causes.score: quantitative',
          'best.service: nominal',
        ],
        rows: 3,
      },
    ]);
    const { rows, groups, path } = table(JSON.stringify(result), 'causes.signals');
    assert.deepEqual(rows, [
      ['a', 1, 'web', 3, 'db'],
      ['b', 2, 'web', 3, 'db'],
      ['c', 7, 'db', 2, null],
    ]);
    assert.deepEqual(groups, [1, 1, 2]);
    assert.equal(path, '$.causes[*].signals[*]');
  });

  it('are series of points, with the name and unit of what is measured', () => {
    const content = JSON.stringify({
      metric: 'latency_seconds',
      series: [
        {
          service: 'web',
          unit: 's',
          points: [
            ['2026-03-01T12:00:00Z', 1.5],
            ['2026-03-01T12:01:00Z', null],
          ],
        },
        { service: 'db', unit: 's', points: [['2026-03-01T12:00:00Z', 2.5]] },
      ],
    });
    const { columns, rows } = table(content, 'series.points');
    assert.deepEqual(columns.slice(0, 2), [
      { name: 'time', type: 'temporal', timeForm: 'iso' },
      { name: 'value', type: 'quantitative', unit: 's', title: 'latency_seconds' },
    ]);
    assert.deepEqual(rows[1], ['2026-03-01T12:01:00Z', null, 'web', 's']);
  });

  it('says no unit and no name where series differ in them', () => {
    const of = (metric: string, unit: string) => ({
      metric,
      unit,
      points: [
        [1_772_366_400, 1],
        [1_772_366_460, 2],
      ],
    });
    const value = table(JSON.stringify([of('a_seconds', 's'), of('b_bytes', 'B')]), 'points').columns[1];
    assert.deepEqual(value, { name: 'value', type: 'quantitative' });
  });

  it("are Prometheus' and Loki's own answers, instants among them", () => {
    const matrix = {
      data: {
        result: [
          {
            metric: { job: 'a' },
            values: [
              [1772366400, '1.5'],
              [1772366460, 'NaN'],
            ],
          },
        ],
      },
    };
    assert.deepEqual(types(JSON.stringify([matrix]).slice(1, -1)), { 'metric.job': 'nominal' });
    const values = table(JSON.stringify(matrix), 'data.result.values');
    assert.deepEqual(
      values.columns.map(({ type }) => type),
      ['temporal', 'quantitative', 'nominal'],
    );
    assert.deepEqual(values.rows, [
      [1772366400, '1.5', 'a'],
      [1772366460, 'NaN', 'a'],
    ]);
    const vector = {
      data: {
        result: [
          { metric: { job: 'a' }, value: [1772366400.123, '1'] },
          { metric: { job: 'b' }, value: [1772366400.123, '0'] },
        ],
      },
    };
    assert.deepEqual(
      table(JSON.stringify(vector), 'data.result.value').rows.map(([, value, job]) => [value, job]),
      [
        ['1', 'a'],
        ['0', 'b'],
      ],
    );
    const streams = {
      data: {
        result: [
          {
            stream: { app: 'x' },
            values: [
              ['1772366400000000001', 'started'],
              ['1772366400000000002', 'stopped'],
            ],
          },
        ],
      },
    };
    const [time, line] = table(JSON.stringify(streams), 'data.result.values').columns;
    assert.deepEqual([time?.timeForm, line?.type], ['ns', 'nominal']);
  });

  it('are members by name, numbers by name, series by name, and columns side by side', () => {
    assert.deepEqual(brief('{"web":{"p95":1,"p50":2},"db":{"p95":3,"p50":4}}'), [
      { name: 'members', columns: ['key: nominal', 'p95: quantitative', 'p50: quantitative'], rows: 2 },
    ]);
    assert.deepEqual(table('{"byService":{"web":3,"db":5}}').rows, [
      ['web', 3],
      ['db', 5],
    ]);
    assert.deepEqual(table('{"web":[[1772366400,1]],"db":[[1772366400,2]]}').rows, [
      [1772366400, 1, 'web'],
      [1772366400, 2, 'db'],
    ]);
    const columns = '{"timestamps":["2026-03-01","2026-03-02"],"values":[1,2],"other":["x"]}';
    assert.deepEqual(table(columns).rows, [
      ['2026-03-01', 1],
      ['2026-03-02', 2],
    ]);
    assert.deepEqual(brief('{"columns":["at","n"],"rows":[["2026-03-01",1],["2026-03-02",2]]}'), [
      { name: 'rows', columns: ['at: temporal', 'n: quantitative'], rows: 2 },
    ]);
    assert.deepEqual(brief('[["host","load"],["a",1],["b",2]]'), [
      { name: 'rows', columns: ['host: nominal', 'load: quantitative'], rows: 2 },
    ]);
  });

  it('know times in ISO, seconds, milliseconds, microseconds, and take no other number for a time', () => {
    const of = (name: string, values: unknown[]) => {
      const column = table(JSON.stringify(values.map((value) => ({ [name]: value, n: 1 })))).columns[0];
      return column?.timeForm ?? column?.type;
    };
    assert.equal(of('x', ['2026-03-01T12:00:00Z', '2026-03-01 12:00:00.5+02:00']), 'iso');
    assert.equal(of('x', ['2026-03-01', 'soon']), 'nominal');
    assert.equal(of('x', ['2026-13-45', '2026-03-01']), 'nominal');
    assert.equal(of('ts', [1_772_366_400, 1_772_366_460.5]), 's');
    assert.equal(of('createdAt', [1_772_366_400_000]), 'ms');
    assert.equal(of('start_time', [1_772_366_400_000_000]), 'us');
    assert.equal(of('bytes', [1_772_366_400, 5]), 'quantitative');
    assert.equal(of('ts', [1_772_366_400, 5]), 'quantitative');
    assert.equal(of('version', ['1.5', '007']), 'nominal');
  });

  it('say that the result left something out', () => {
    assert.equal(table('{"truncated":true,"changes":[{"a":1},{"a":2}]}').partial, true);
    assert.equal(table('{"truncated":false,"changes":[{"a":1},{"a":2}]}').partial, false);
    assert.equal(
      table('a,b\nx,1\ny,2\n[cut here: the tool returned 99 characters, the first 11 characters are stored]').partial,
      true,
    );
  });
});

describe('tables of text', () => {
  it('are separated values, with quotes, and without a header', () => {
    assert.deepEqual(brief('time,value,host\n2026-03-01T00:00:00Z,1.5,"a,b"\n2026-03-01T00:01:00Z,NaN,b\n'), [
      { name: 'rows', columns: ['time: temporal', 'value: quantitative', 'host: nominal'], rows: 2 },
    ]);
    assert.deepEqual(brief('name\tcount\nweb\t1\ndb\t2')[0]?.columns, ['name: nominal', 'count: quantitative']);
    assert.deepEqual(brief('2026-03-01,1\n2026-03-02,2')[0]?.columns, ['column 1: temporal', 'column 2: quantitative']);
  });

  it('are lines of JSON, a cut one left out', () => {
    const lines = [1, 2, 3, 4, 5, 6].map((n) => JSON.stringify({ ts: 1_772_366_400 + n, level: 'error', n }));
    const found = table([...lines, '{"ts": 17723'].join('\n'));
    assert.equal(found.form, 'ndjson');
    assert.equal(found.rows.length, 6);
    assert.equal(found.partial, true);
  });

  it('are log lines: times, levels, and the numbers and labels they name, each with its unit', () => {
    const log = [
      '2026-03-01 12:00:00,123 ERROR [main] request failed took=35ms code=500 path=/a',
      '    at Checkout.pay(Checkout.java:71)',
      '2026-03-01 12:00:01,456 INFO [main] request took=1.5s code=200',
      '[01/Mar/2026:12:00:02 +0000] not of the same form',
    ].join('\n');
    const mixed = table(log);
    assert.equal(mixed.columns[0]?.type, 'nominal', 'two forms of time in one log are not read as either');
    const { columns, rows } = table(log.split('\n').slice(0, 3).join('\n'));
    assert.deepEqual(
      columns.map(({ name, type, unit }) => [name, type, unit]),
      [
        ['time', 'temporal', undefined],
        ['level', 'nominal', undefined],
        ['message', 'nominal', undefined],
        ['took (ms)', 'quantitative', 'ms'],
        ['code', 'quantitative', undefined],
        ['path', 'nominal', undefined],
        ['took (s)', 'quantitative', 's'],
      ],
    );
    assert.deepEqual(rows[1], [
      '2026-03-01 12:00:01,456',
      'INFO',
      'INFO [main] request took=1.5s code=200',
      null,
      '200',
      null,
      '1.5',
    ]);
    const access =
      '10.0.0.1 - - [01/Mar/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 12\n10.0.0.1 - - [01/Mar/2026:12:00:01 +0000] "GET / HTTP/1.1" 500 0';
    assert.equal(table(access).columns[0]?.timeForm, 'clf');
  });

  it('are not found in prose, in lists of words, in nothing', () => {
    for (const content of [
      '',
      'Hello, world.\nGoodbye, world.\n',
      '["a","b"]',
      '{"a":{"b":1}}',
      'null',
      '"x"',
      '(the tool returned nothing)',
      'see 2026-03-01',
    ]) {
      assert.deepEqual(tablesIn(content), [], content);
    }
  });
});

describe('tables of hostile results', () => {
  const huge = 'x'.repeat(1_000_000);

  it('are found without harm in 5 MB of anything', () => {
    const points = Array.from({ length: 160_000 }, (_, index) => [
      new Date(1.7e12 + index * 1000).toISOString(),
      index,
    ]);
    const inputs: Record<string, [string, number]> = {
      points: [JSON.stringify(points), 160_000],
      pairs: [JSON.stringify(Array.from({ length: 850_000 }, (_, index) => [index % 10, 2])), 850_000],
      log: [points.map(([at]) => `${at} ERROR it failed code=500`).join('\n'), 160_000],
      csv: [`time,value\n${points.join('\n')}`, 160_000],
      arrays: ['['.repeat(2_500_000) + ']'.repeat(2_500_000), 0],
      objects: ['{"a":'.repeat(900_000) + '1' + '}'.repeat(900_000), 0],
      open: ['['.repeat(5_000_000), 0],
      quotes: [`{${'"\\'.repeat(2_500_000)}NaN`, 0],
      wide: [
        JSON.stringify([Object.fromEntries(Array.from({ length: 300_000 }, (_, index) => [`k${index}`, index]))]),
        1,
      ],
      spaces: [' '.repeat(5_000_000), 0],
      commas: [','.repeat(5_000_000), 0],
      pairsOfLogs: [
        `2026-03-01T00:00:00Z ${'a=1 '.repeat(1_000_000)}\n2026-03-01T00:00:01Z ${'a_'.repeat(500_000)}`,
        2,
      ],
    };
    for (const [name, [content, rows]] of Object.entries(inputs)) {
      assert.equal(tablesIn(content)[0]?.rows.length ?? 0, rows, name);
    }
  });

  it('keep a bounded number of cells and say how many rows there are', () => {
    const row = JSON.stringify(Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`c${index}`, 1])));
    const found = table(`[${Array.from({ length: 70_000 }, () => row).join(',')}]`);
    assert.equal(found.total, 70_000);
    assert.ok(found.rows.length < 70_000 && found.rows.length > 60_000, String(found.rows.length));
  });

  it('take __proto__, constructor and the like for names', () => {
    const content =
      '[{"__proto__":{"polluted":1},"constructor":2,"toString":3},{"__proto__":{"polluted":4},"constructor":5,"toString":6}]';
    assert.deepEqual(
      table(content).columns.map(({ name }) => name),
      ['__proto__.polluted', 'constructor', 'toString'],
    );
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
    assert.deepEqual(
      types('__proto__,value\na,1\nb,2'),
      Object.fromEntries([
        ['__proto__', 'nominal'],
        ['value', 'quantitative'],
      ]),
    );
  });

  it('read NaN and Infinity as missing, and numbers too large for any', () => {
    const found = table(
      '[{"a": NaN, "b": "NaN"}, {"a": -Infinity, "b": "Infinity"}, {"a": 1e999, "b": "-"}, {"a": 2, "b": "\\"NaN"}]',
    );
    assert.deepEqual(
      found.rows.map(([a]) => a),
      [null, null, Infinity, 2],
    );
    assert.deepEqual(
      found.columns.map(({ type }) => type),
      ['quantitative', 'nominal'],
    );
  });

  it('leave out columns with names of any length, and keep cells whole', () => {
    const found = table(
      JSON.stringify([
        { [huge]: 1, n: 1, text: huge },
        { n: 2, text: 'short' },
      ]),
    );
    assert.deepEqual(
      found.columns.map(({ name }) => name),
      ['n', 'text'],
    );
    assert.equal(found.rows[0]?.[1], huge);
  });

  it('have one cell per column in every row, all from the result, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const content = JSON.stringify({ rows: [value, value], value });
        const scalars = scalarsIn(JSON.parse(content));
        const keys = new Set(content.match(/"(?:[^"\\]|\\.)*"(?=:)/gu)?.map((key) => JSON.parse(key)));
        for (const { columns, rows, total } of tablesIn(content)) {
          assert.ok(rows.length <= total);
          for (const row of rows) {
            assert.equal(row.length, columns.length);
            for (const cell of row) assert.ok(cell === null || scalars.has(cell) || keys.has(cell), String(cell));
          }
        }
      }),
    );
  });

  it('are found or not, but never fail, in any text', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('a,b', '1,2', '2026-03-01T00:00:00Z x=1', '{"a":1}', '[1', '"'),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const content = lines.join('\n');
        for (const { rows } of tablesIn(content)) {
          for (const cell of rows.flat()) {
            assert.ok(
              cell === null || content.includes(String(cell)) || content.includes(JSON.stringify(cell).slice(1, -1)),
              String(cell),
            );
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
