import assert from 'node:assert/strict';
import { align, valueAt } from '../../../web/src/components/chart/align.ts';
import { lineStyle } from '../../../web/src/components/chart/palette.ts';
import { nameOf, summaryOf } from '../../../web/src/components/chart/summary.ts';
import { formatValue } from '../../../web/src/components/chart/units.ts';

describe('web: figures of charts', () => {
  it('are written with the unit people use', () => {
    const cases: [number | null, string | null, string][] = [
      [0.0123, 's', '12.3 ms'],
      [2.4, 's', '2.4 s'],
      [90, 's', '90 s'],
      [7_300, 's', '2.028 h'],
      [0, 's', '0 s'],
      [340, 'ms', '340 ms'],
      [1_500, 'ms', '1.5 s'],
      [1_048_576, 'By', '1.049 MB'],
      [512, 'bytes', '512 B'],
      [5_000, 'By/s', '5 kB/s'],
      [0.042, 'ratio', '4.2%'],
      [0.5, '%', '0.5%'],
      [12.5, '1/s', '12.5/s'],
      [1_250, '{requests}/s', '1.25k requests/s'],
      [0.8, 's/s', '0.8 s/s'],
      [3, null, '3'],
      [12_345, '1', '12.35k'],
      [-0.002, 's', '-2 ms'],
      [1e-12, null, '1.00e-12'],
      [null, 's', '–'],
      [Number.NaN, 's', '–'],
    ];
    for (const [value, unit, text] of cases) assert.equal(formatValue(value, unit), text, `${value} ${unit}`);
  });
});

describe('web: series of charts', () => {
  const at = (second: number): string => new Date(second * 1000).toISOString();

  it('share one list of times; a missing sample is a gap, another time is not', () => {
    const aligned = align([
      {
        points: [
          [at(1), 1],
          [at(3), null],
        ],
      },
      { points: [[at(2), 5]] },
    ]);
    assert.deepEqual(aligned, {
      times: [1, 2, 3],
      values: [
        [1, undefined, null],
        [undefined, 5, undefined],
      ],
    });
    assert.equal(valueAt(aligned, 1, 2), 5);
    assert.equal(valueAt(aligned, 1, 0), undefined);
    assert.equal(valueAt(aligned, 0, 2), null);
  });

  const series = (label: string, score: number | null, onset: string | null = at(60)) => ({
    label,
    service: 'payment',
    statistic: null,
    unit: 's',
    points: [],
    anomaly:
      score === null
        ? null
        : { score, direction: 'up' as const, onset, baseline_median: 0.12, baseline_spread: 0.01, incident_value: 2.4 },
  });

  it('are summed up in a sentence about the worst', () => {
    const time = (text: string): string => text.slice(11, 16);
    assert.equal(
      summaryOf([series('p50', 3), series('p95', -48)], time),
      'payment p95 rose from 120 ms to 2.4 s at 00:01. 1 more series deviated.',
    );
    assert.equal(summaryOf([series('p50', 1, null)], time), '1 series; none deviated from the baseline.');
    assert.equal(summaryOf([series('a', null), series('b', null)], time), '2 series, not compared with a baseline.');
  });

  it('have names with nothing unseen in them', () => {
    assert.equal(nameOf({ label: 'payment p95', service: 'payment' }), 'payment p95');
    assert.equal(nameOf({ label: '\u202Ep95', service: 'payment' }), 'payment RLOp95');
    assert.ok(nameOf({ label: 'x'.repeat(10_000), service: null }).length <= 81);
  });

  it('twenty of them look different, with enough contrast on both backgrounds', () => {
    const luminance = (hex: string): number => {
      const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
        const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    for (const [theme, grounds] of [
      ['light', ['#ffffff', '#f7f8fa', '#fce6e4']],
      ['dark', ['#171b23', '#0f1218', '#421715']],
    ] as const) {
      const styles = Array.from({ length: 20 }, (_, index) => lineStyle(index, theme));
      assert.equal(new Set(styles.map((style) => JSON.stringify(style))).size, 20);
      for (const { colour } of styles) {
        for (const ground of grounds) {
          const [low = 0, high = 0] = [luminance(colour), luminance(ground)].sort((a, b) => a - b);
          assert.ok((high + 0.05) / (low + 0.05) >= 4.5, `${colour} on ${ground}`);
        }
      }
    }
  });
});
