import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hasSeries } from '../../../src/features/charts/index.ts';
import { ToolResultSeriesResponse } from '../../../src/features/charts/series/schemas.ts';
import { seriesIn } from '../../../src/features/charts/series/series-in.ts';
import { createToolRegistry, sharedTools, type QueryMetricResult } from '../../../src/features/tools/index.ts';
import { catalogOf, sampleIncident } from '../../support/telemetry-source.ts';
import { toolContext } from '../../support/tool-context.ts';

const registry = createToolRegistry(sharedTools);
const sources = catalogOf(sampleIncident());
const body = ToolResultSeriesResponse.omit({ tool_id: true, tool: true });

const at = (minute: number): string => new Date(Date.UTC(2026, 2, 1, 14, minute)).toISOString();

describe('the series in a stored tool result', () => {
  it('has what query_metric returned: every point, the windows and what is anomalous', async () => {
    const output = await registry.invoke(
      'query_metric',
      { source: 'shop', metric: 'latency_seconds' },
      toolContext({ sources }),
    );
    const result = JSON.parse(String(output.content)) as QueryMetricResult;
    const found = seriesIn(String(output.content), 'Query latency_seconds');
    assert.ok(found);
    body.parse(found);
    assert.equal(found.title, 'latency_seconds');
    assert.deepEqual([found.window, found.baseline], [result.window, result.baseline]);
    assert.equal(found.truncated, false);
    assert.deepEqual(
      found.series.map(({ service, unit, points, anomaly }) => [
        service,
        unit,
        points.map(([time, value]) => [Date.parse(time), value]),
        anomaly?.score,
        anomaly?.onset,
      ]),
      result.series.map(({ service, unit, points, anomaly }) => [
        service,
        unit ?? null,
        points.map(([time, value]) => [Date.parse(time), value]),
        anomaly.score,
        anomaly.onset,
      ]),
    );
    assert.equal(new Set(found.series.map(({ label }) => label)).size, result.series.length);
    const moved = result.series.filter(({ anomaly }) => anomaly.onset !== null);
    assert.ok(moved.length > 0, 'the sample incident moves something');
    assert.deepEqual(found.anomaly_window, { from: moved[0]?.anomaly.onset, to: result.window.to });
  });

  it('tells the series of a PromQL answer apart by their labels', () => {
    const result = {
      source: 'prometheus',
      expr: 'sum by (service) (rate(http_requests_total[5m]))',
      window: { from: at(0), to: at(10) },
      series: ['checkout', 'payment'].map((service) => ({
        labels: { service, job: 'shop' },
        points: [
          [at(1), 1.5],
          [at(2), null],
          [at(3), 2.5],
        ],
        min: 1.5,
        max: 2.5,
        last: 2.5,
      })),
      truncated: true,
    };
    const found = seriesIn(JSON.stringify(result), 'PromQL');
    assert.deepEqual(
      found?.series.map(({ label, service, points }) => [label, service, points]),
      ['checkout', 'payment'].map((service) => [
        service,
        service,
        [
          [at(1), 1.5],
          [at(2), null],
          [at(3), 2.5],
        ],
      ]),
    );
    assert.equal(found?.title, result.expr);
    assert.deepEqual([found?.truncated, found?.baseline, found?.anomaly_window], [true, null, null]);
  });

  it('reads what a tool of a team returned: a matrix of Prometheus, values by time', () => {
    const values = [0, 1, 2].map((minute) => [Date.UTC(2026, 2, 1, 14, minute) / 1_000, String(minute)]);
    const matrix = { status: 'success', data: { resultType: 'matrix', result: [{ metric: { job: 'a' }, values }] } };
    const found = seriesIn(JSON.stringify(matrix), 'Ask Prometheus');
    assert.deepEqual(found?.series[0]?.points, [
      [at(0), 0],
      [at(1), 1],
      [at(2), 2],
    ]);
    assert.equal(found?.title, 'Ask Prometheus');
  });

  it('puts samples in order, and takes the last one of a time', () => {
    const points = [
      [at(3), 3],
      [at(1), 1],
      [at(2), 2],
      [at(1), 9],
      ...Array.from({ length: 20 }, (_, n) => [at(10 + n), n]),
    ];
    const [series] = seriesIn(JSON.stringify({ metric: 'm', series: [{ service: 'a', points }] }), 't')?.series ?? [];
    assert.deepEqual(series?.points.slice(0, 3), [
      [at(1), 9],
      [at(2), 2],
      [at(3), 3],
    ]);
  });

  it('is bounded however much there is', () => {
    const series = Array.from({ length: 60 }, (_, n) => ({
      service: `service-${n}`,
      points: Array.from({ length: 1_000 }, (_none, i) => [
        new Date(Date.UTC(2026, 2, 1) + i * 1_000).toISOString(),
        i,
      ]),
    }));
    const found = seriesIn(JSON.stringify({ metric: 'm', series }), 't');
    assert.equal(found?.truncated, true);
    assert.equal(found.series.length, 40);
    const points = found.series.reduce((sum, one) => sum + one.points.length, 0);
    assert.ok(points <= 20_000, `${points}`);
    assert.deepEqual(found.series[0]?.points.at(-1)?.[1], 999, 'extremes are kept');
  });

  const nothing: [what: string, content: string][] = [
    ['text', 'The pool is exhausted.'],
    ['no text', ''],
    ['events with numbers', JSON.stringify([1, 2, 3, 4].map((n) => ({ at: at(0), duration: n })))],
    ['series without samples', JSON.stringify({ metric: 'm', series: [{ service: 'a', points: [] }] })],
    [
      'samples that are all missing',
      JSON.stringify({
        metric: 'm',
        series: [
          {
            service: 'a',
            points: [
              [at(0), null],
              [at(1), null],
            ],
            anomaly: { score: 2 },
          },
        ],
      }),
    ],
    ['lines of a log', Array.from({ length: 9 }, (_, n) => `${at(n)} INFO served in ${n} ms`).join('\n')],
  ];
  for (const [what, content] of nothing) {
    it(`finds none in ${what}`, () => assert.equal(seriesIn(content, 't'), undefined));
  }

  it('never fails, and says only what the response can say, whatever a tool returned', () => {
    const scalar = fc.oneof(
      fc.string(),
      fc.double(),
      fc.constantFrom(at(0), at(1), null, true, 1e300, -0, 1_772_373_600, 'NaN', '__proto__', 'constructor'),
    );
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        scalar,
        fc.array(tie('value'), { maxLength: 6 }),
        fc.dictionary(
          fc.constantFrom(
            'series',
            'points',
            'service',
            'labels',
            'anomaly',
            'score',
            'onset',
            'window',
            'from',
            'to',
            'value',
            'time',
            'unit',
            'metric',
          ),
          tie('value'),
        ),
      ),
    })).value;
    fc.assert(
      fc.property(
        fc.oneof(
          json.map((value) => JSON.stringify(value) ?? ''),
          fc.string(),
        ),
        (content) => {
          const found = seriesIn(content, 't');
          if (found) body.parse(found);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('whether a tool call has series, by its row', () => {
  const row = { name: 'query_metric', status: 'completed', isError: false, digest: 'm: 3 series, most anomalous a' };
  it('is known of the tools that return them', async () => {
    assert.equal(hasSeries(row), true);
    assert.equal(hasSeries({ ...row, name: 'promql', digest: '10 series for up' }), true);
    assert.equal(hasSeries({ ...row, name: 'search_logs' }), false);
    assert.equal(hasSeries({ ...row, isError: true }), false);
    assert.equal(hasSeries({ ...row, status: 'pending', digest: null }), false);
  });

  it('is false where the tool says that it found none', async () => {
    const ask = (input: object) => registry.invoke('query_metric', input, toolContext({ sources }));
    const period = { from: '2020-01-01T00:00:00Z', to: '2020-01-01T01:00:00Z' };
    const { digest, isError } = await ask({ source: 'shop', metric: 'latency_seconds', ...period });
    assert.equal(isError, undefined);
    assert.equal(hasSeries({ ...row, digest }), false, digest);
    assert.equal(hasSeries({ ...row, name: 'promql', digest: '0 series for up' }), false);
  });
});
