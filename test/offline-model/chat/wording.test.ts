import assert from 'node:assert/strict';
import { assert as check, property, string } from 'fast-check';
import { clock, listed, name } from '../../../packages/offline-model/playbooks/wording.ts';

describe('offline model: wording', () => {
  it('takes times of day out of ISO times', () => {
    assert.equal(clock('2026-03-10T16:36:15.250Z'), '16:36:15 UTC');
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
