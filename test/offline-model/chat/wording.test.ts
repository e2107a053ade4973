import assert from 'node:assert/strict';
import { assert as check, double, integer, oneof, property, string } from 'fast-check';
import { clock, listed, name, verbatim } from '../../../packages/offline-model/playbooks/wording.ts';

describe('offline model: wording', () => {
  it('writes numbers as they begin in the evidence, rounded or cut', () => {
    const values = oneof(
      double({ noNaN: true, noDefaultInfinity: true }),
      integer(),
      double({ min: 0, max: 100, noNaN: true }),
    );
    check(
      property(values, (value) => {
        const rounded = Number(value.toPrecision(6));
        const written = verbatim(rounded);
        assert.ok(String(Math.abs(rounded)).startsWith(written), `${written} for ${rounded}`);
        assert.ok(
          Math.abs(Number(written) - Math.abs(rounded)) <= Math.abs(rounded) * 5e-3,
          `${written} for ${rounded}`,
        );
      }),
      { numRuns: 2_000 },
    );
    assert.deepEqual([0, 0.566123, 8.26, 2.71988, 1128.37, 0.00299999, 1e-7, null].map(verbatim), [
      '0',
      '0.566',
      '8.26',
      '2.719',
      '1128',
      '0.002999',
      '1e-7',
      'unknown',
    ]);
  });

  it('takes times of day out of ISO times', () => {
    assert.equal(clock('2026-03-10T16:36:15.250Z'), '16:36:15');
    assert.equal(clock('`x`'), "`'x'`");
  });

  it('quotes every name that is not plainly one', () => {
    assert.deepEqual(['redis-cart', 'incident:a.b', 'a b', '[7]', '-x', 'http://x.y'].map(name), [
      'redis-cart',
      'incident:a.b',
      '`a b`',
      '`[7]`',
      '`-x`',
      '`http://x.y`',
    ]);
    check(
      property(string({ unit: 'binary' }), (text) => {
        const written = name(text);
        assert.match(written, /^(?:[\w.:/-]+|`[^`\n]*`)$/u);
      }),
    );
  });

  it('lists things', () => {
    assert.deepEqual(
      [listed([]), listed(['a']), listed(['a', 'b', 'c']), listed(['a', 'b', 'c'], 1)],
      ['', 'a', 'a, b and c', 'a and 2 more'],
    );
  });
});
