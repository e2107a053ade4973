import assert from 'node:assert/strict';
import { expandedSize, hasBackReference } from '../../../src/features/workspace/git/pattern.ts';

describe('workspace: size of a regular expression', () => {
  const SIZES: [string, number][] = [
    ['', 0],
    ['abc', 3],
    ['a{3}', 3],
    ['a{2,5}b', 6],
    ['a{7,}', 7],
    ['(ab){10}', 30],
    ['((a{10}){10}){10}', 1_110],
    ['a{255}{255}', 65_025],
    ['[a-z]{4}', 4],
    ['[]a{9}]b', 2],
    ['[^]a)]{2}', 2],
    ['[[:digit:]]{3}', 3],
    ['\\{5}', 3],
    ['\\(a{5}', 6],
    ['a)b', 3],
    ['(a', 1],
    ['[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', 39],
  ];
  for (const [pattern, size] of SIZES)
    it(`of ${pattern} is ${size}`, () => {
      assert.equal(expandedSize(pattern), size);
    });
});

describe('workspace: a regular expression that refers back', () => {
  for (const pattern of ['(a)\\1', '(a)\\\\\\9', '[]](b)\\1'])
    it(`is ${pattern}`, () => assert.ok(hasBackReference(pattern)));
  for (const pattern of ['a\\\\1', '[\\1]', '\\.1', '[[:digit:]\\1]', '\\0'])
    it(`is not ${pattern}`, () => assert.ok(!hasBackReference(pattern)));
});
