import assert from 'node:assert/strict';
import { inferLevel, normalizeLevel } from '@casebook/connectors';

describe('log levels', () => {
  it('are the same by any of their names', () => {
    for (const word of ['ERROR', 'err', 'Fatal', ' critical ']) assert.equal(normalizeLevel(word), 'error');
    assert.equal(normalizeLevel('WARNING'), 'warn');
    assert.equal(normalizeLevel('shout'), undefined);
    assert.equal(normalizeLevel(undefined), undefined);
  });

  const stated: [string, string | undefined][] = [
    ['{"ts":1,"level":"error","msg":"x"}', 'error'],
    ['{"msg":"x","severity" : "WARNING"}', 'warn'],
    ['ts=1 level=info msg="no error here"', 'info'],
    ['2026-01-01 12:00:00,123 ERROR [main] shop.Checkout - boom', 'error'],
    ['[warn] pool nearly full', 'warn'],
    ['panic: runtime error: index out of range', 'error'],
    ['E0101 finished without error', undefined],
    ['order 1 placed without error', undefined],
    ['0 errors, 3 warnings', undefined],
    [`${'x'.repeat(90)} ERROR`, undefined],
    ['', undefined],
  ];
  for (const [line, level] of stated) {
    it(`finds ${level ?? 'none'} in "${line.slice(0, 60)}"`, () => assert.equal(inferLevel(line), level));
  }
});
