import assert from 'node:assert/strict';
import { expectedCalibrationError, reliability, reliabilityTable } from '../../bench/diagnosis/reliability.ts';

const stated = (confidence: number, right: number, of: number) =>
  Array.from({ length: of }, (_, index) => ({ confidence, right: index < right }));

describe('reliability of confidence', () => {
  it('is the distance of confidence from frequency, by bin, weighted by cases', () => {
    const all = [...stated(0.9, 9, 10), ...stated(0.45, 3, 10), ...stated(1, 5, 5)];
    const bins = reliability(all);
    assert.deepEqual(
      bins.map(({ cases, right }) => [cases, right]),
      [
        [10, 0.3],
        [15, 14 / 15],
      ],
    );
    const error = (10 * 0.15 + 15 * Math.abs(14 / 15 - (9 + 5) / 15)) / 25;
    assert.ok(Math.abs(expectedCalibrationError(all) - error) < 1e-9);
    assert.match(reliabilityTable('ob', all), /wrong with \.7 or more: 1 of 25/);
  });
});
