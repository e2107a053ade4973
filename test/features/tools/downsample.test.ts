import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { downsample, resultPoints } from '../../../src/features/tools/telemetry/series.ts';

const sample = fc.oneof(
  { weight: 9, arbitrary: fc.double({ noNaN: true, min: -1e6, max: 1e6 }) },
  { weight: 1, arbitrary: fc.constant(NaN) },
);

describe('downsampling', () => {
  it('keeps the ends, the extremes, the order and the bound, and invents nothing', () => {
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 400 }), fc.integer({ min: 4, max: 80 }), (values, limit) => {
        const timestamps = values.map((_, index) => index * 60);
        const points = downsample(timestamps, values, limit);
        assert.ok(points.length <= limit);
        for (const { at, value } of points) {
          const original = values[at / 60] ?? NaN;
          assert.equal(value, Number.isFinite(original) ? original : null);
        }
        assert.deepEqual(
          points.map(({ at }) => at),
          [...new Set(points.map(({ at }) => at))].sort((a, b) => a - b),
        );
        if (values.length === 0) return;
        assert.equal(points[0]?.at, 0);
        assert.equal(points.at(-1)?.at, timestamps.at(-1));
        const finite = values.filter(Number.isFinite);
        const kept = points.flatMap(({ value }) => (value === null ? [] : [value]));
        if (finite.length === 0) return;
        assert.equal(Math.max(...kept), Math.max(...finite));
        assert.equal(Math.min(...kept), Math.min(...finite));
      }),
      { numRuns: 500 },
    );
  });

  it('keeps a spike of one sample in ten thousand', () => {
    const values = Array.from({ length: 10_000 }, (_, index) => Math.sin(index / 100));
    values[7_777] = 50;
    const points = downsample(
      values.map((_, index) => index),
      values,
    );
    assert.deepEqual(
      points.find(({ value }) => value === 50),
      { at: 7_777, value: 50 },
    );
    assert.ok(points.length <= 60);
  });

  it('shows a gap as null', () => {
    const values = Array.from({ length: 600 }, (_, index) => (index >= 200 && index < 400 ? NaN : 1));
    const points = downsample(
      values.map((_, index) => index),
      values,
    );
    const gap = points.filter(({ at }) => at >= 220 && at < 380);
    assert.ok(gap.length > 0 && gap.every(({ value }) => value === null));
  });

  it('rounds to six significant digits and writes ISO times', () => {
    assert.deepEqual(resultPoints([1_772_366_400, 1_772_366_400.5], [1 / 3, 12_345_678.9]), [
      ['2026-03-01T12:00:00Z', 0.333333],
      ['2026-03-01T12:00:00.500Z', 12_345_700],
    ]);
  });
});
