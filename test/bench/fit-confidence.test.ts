import assert from 'node:assert/strict';
import { confidenceAt } from '../../src/features/diagnosis/confidence.ts';
import { confidenceLeftOut, fitConfidence, validate, type KnownCase } from '../../bench/diagnosis/fit-confidence.ts';

const cases = (lead: number, right: number, of: number, score = 1): KnownCase[] =>
  Array.from({ length: of }, (_, index) => ({
    dataset: index % 2 ? 'a' : 'b',
    lead,
    score,
    isFelt: false,
    right: index < right,
  }));

describe('the fitted table of confidences', () => {
  it('is the frequency of being right by band, pooled until it rises with lead and score', () => {
    const known = [...cases(0.1, 3, 18), ...cases(0.4, 9, 18), ...cases(0.7, 8, 18), ...cases(2, 18, 18)];
    const table = fitConfidence(known, []);
    assert.deepEqual(table, [
      { lead: 1.8, score: 0, isFelt: false, right: 0.95 },
      { lead: 0.3, score: 0, isFelt: false, right: 0.47 },
      { lead: 0, score: 0, isFelt: false, right: 0.2 },
    ]);
    assert.equal(confidenceAt({ lead: 0.7, score: 9, isFelt: true }, table), 0.47);
    assert.equal(confidenceAt({ lead: -1, score: 9, isFelt: true }, table), 0);
    const strong = fitConfidence([...known, ...cases(0.4, 8, 8, 3), ...cases(2, 0, 8, 3)], []);
    assert.equal(confidenceAt({ lead: 0.4, score: 3, isFelt: true }, strong), 0.5);
    assert.equal(confidenceAt({ lead: 2, score: 3, isFelt: true }, strong), 0.95, 'no less than with weaker evidence');
  });

  it('stays below a half where healthy periods are', () => {
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
