import assert from 'node:assert/strict';
import { confidenceAt } from '../../src/features/diagnosis/confidence.ts';
import { confidenceLeftOut, fitConfidence, validate, type KnownCase } from '../../bench/diagnosis/fit-confidence.ts';

const cases = (lead: number, right: number, of: number, surprise = 0): KnownCase[] =>
  Array.from({ length: of }, (_, index) => ({
    dataset: index % 2 ? 'a' : 'b',
    lead,
    surprise,
    right: index < right,
  }));

describe('the fitted table of confidences', () => {
  it('is the frequency of being right by band; what establishes no cause is one', () => {
    const known = [...cases(0.1, 3, 18), ...cases(0.4, 8, 18), ...cases(0.7, 12, 18), ...cases(2, 18, 18)];
    const table = fitConfidence(known, []);
    assert.deepEqual(table, [
      { lead: 1.8, surprise: 0, right: 0.95 },
      { lead: 0.6, surprise: 0, right: 0.65 },
      { lead: 0, surprise: 0, right: 0.32 },
    ]);
    assert.equal(confidenceAt({ lead: 0.7, surprise: 9 }, table), 0.65);
    assert.equal(confidenceAt({ lead: 0.5, surprise: 9 }, table), 0.32);
    assert.equal(confidenceAt({ lead: -1, surprise: 9 }, table), 0);
  });

  it('does not pool a strong band with a weaker one of two cases', () => {
    const known = [...cases(2, 48, 49, 3), ...cases(0.7, 2, 2)];
    assert.deepEqual(
      fitConfidence(known, []).map(({ right }) => right),
      [0.96, 0.75, 0.49],
    );
  });

  it('pools bands of which the stronger is right less often', () => {
    const known = [...cases(0.7, 12, 18), ...cases(2, 10, 18), ...cases(0.4, 8, 8, 3), ...cases(2, 6, 8, 3)];
    assert.deepEqual(fitConfidence(known, []), [
      { lead: 1.8, surprise: 1, right: 0.83 },
      { lead: 0.6, surprise: 0, right: 0.61 },
      { lead: 0.3, surprise: 1, right: 0.83 },
      { lead: 0, surprise: 0, right: 0.49 },
    ]);
  });

  it('establishes nothing where healthy periods are', () => {
    const known = [...cases(0.7, 18, 18), ...cases(2, 18, 18)];
    const quiet = [...cases(0.7, 0, 18), ...cases(2, 0, 2)];
    assert.deepEqual(
      fitConfidence(known, quiet).map(({ right }) => right),
      [0.95, 0.49],
    );
  });

  it('is tried on cases it has not seen', () => {
    const known = cases(2, 9, 10);
    const seen: number[] = [];
    const fit = (others: KnownCase[]) => {
      seen.push(others.length);
      return fitConfidence(others, []);
    };
    const left = confidenceLeftOut(known, ({ dataset }) => dataset, fit);
    assert.deepEqual(seen, [5, 5]);
    // The only wrong one is of the second data set.
    assert.deepEqual(left.slice(0, 2), [0.71, 0.86]);
    const { calibrationError, wrongSure, named } = validate(known, left);
    assert.deepEqual([wrongSure, named], [0.1, 1]);
    assert.ok(Math.abs(calibrationError - 0.14) < 0.05, String(calibrationError));
  });
});
