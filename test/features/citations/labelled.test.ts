/** How good the matcher is without a model: precision and recall on the labelled set, see `measure.ts`. */
import assert from 'node:assert/strict';
import { findExcerpts } from '../../../src/features/citations/index.ts';
import type { LabelledCase } from './cases/case.ts';
import { heldOutCases, tunedCases } from './cases/index.ts';
import { contentOf, measure } from './measure.ts';

const find = (labelled: LabelledCase): string[] =>
  findExcerpts({ content: contentOf(labelled), citationId: labelled.citationId, text: labelled.text });

describe('excerpts of the labelled set', () => {
  it('has cases whose pieces are in their results, under names of their own', () => {
    const cases = [...tunedCases, ...heldOutCases];
    assert.ok(tunedCases.length >= 30 && heldOutCases.length >= 30);
    for (const labelled of cases) {
      const content = contentOf(labelled);
      for (const piece of [...labelled.must, ...(labelled.may ?? []), ...(labelled.never ?? [])]) {
        assert.ok(content.includes(piece), `${labelled.name}: ${piece}`);
      }
    }
    assert.equal(new Set(cases.map(({ name }) => name)).size, cases.length);
  });

  for (const [half, cases, floor] of [
    ['tuned', tunedCases, { precision: 0.97, recall: 0.96 }],
    ['held-out', heldOutCases, { precision: 0.93, recall: 0.93 }],
  ] as const) {
    it(`are right and complete on the ${half} half`, () => {
      const { precision, recall, exact, results } = measure(cases, find);
      const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
      console.log(
        `      ${half}: ${cases.length} cases, precision ${percent(precision)}, recall ${percent(recall)}, without a fault ${percent(exact)}`,
      );
      // Of the held-out half only the sums are told: who knows its faults would fit the matcher to them.
      const faults = half === 'tuned' ? results.filter(({ wrong, missing }) => wrong.length + missing.length > 0) : [];
      assert.ok(precision >= floor.precision, `precision ${precision} ${JSON.stringify(faults, null, 1)}`);
      assert.ok(recall >= floor.recall, `recall ${recall} ${JSON.stringify(faults, null, 1)}`);
    });
  }

  it('would show a finder that returns everything, and one that returns nothing', () => {
    const everything = measure(tunedCases, (labelled) => [contentOf(labelled)]);
    assert.ok(everything.precision < 0.1, String(everything.precision));
    assert.equal(everything.recall, 1);
    const nothing = measure(tunedCases, () => []);
    assert.equal(nothing.recall, 0);
    assert.ok(nothing.exact < 0.3);
  });
});
