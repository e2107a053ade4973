import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { citedNumbers } from '../../../src/features/citations/index.ts';
import { claimsOf } from '../../../src/features/citations/matcher/claims.ts';

describe('the numbers that a text cites', () => {
  const cases: [string, number[]][] = [
    ['One [1]. Two [2][3], again [1].', [1, 2, 3]],
    ['Lists [1, 3] and [4; 5], ranges [7-9] and [11–12].', [1, 3, 4, 5, 7, 8, 9, 11, 12]],
    ['A range that is none [9-2] or too wide [1-400].', [9, 2, 1, 400]],
    ['Footnotes[^2], double [[3]], named [source 4] and [ref: 5], marked [#6].', [2, 3, 4, 5, 6]],
    ['Other brackets 【7】 and 【8†lines 1-3】 and <sup>9</sup>.', [7, 8, 9]],
    ['Links [1](https://example.org/a) count, images ![2](x.png) do not.', [1]],
    ['Directly at the word[3]. And after a quote"[4], a parenthesis)[5].', [3, 4, 5]],
    ['Indexes a[1], rows[2].id, userRows[3][4], user_ids[5], getRows()[6] = 1, itemList[7]', [6]],
    ['Code `x = y[1] + [2]` and ``a ` [3]`` and\n```\nsee [4]\n```\n[5]', [5]],
    ['A fence that is not closed [1]\n```js\nlist [2]', [1]],
    ['Body [1].\n\n[2]: https://example.org\n[^3]: a note', [1]],
    ['[1] at the beginning, a task [x], empty [], words [one], ISO [2026-01-02T00:00].', [1]],
    ['', []],
  ];
  for (const [text, expected] of cases) {
    it(JSON.stringify(text.slice(0, 60)), () => assert.deepEqual(citedNumbers(text), expected));
  }

  it('are found in any text without an error', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('[1]', '`', '```', '[', ']', '[^2]', '\n', '1-3'),
    );
    fc.assert(fc.property(fc.array(piece), (pieces) => void citedNumbers(pieces.join(''))));
  });
});

describe('what a text claims with a citation', () => {
  const statements = (text: string, id: number): string[] => claimsOf(text, id).map(({ statement }) => statement);

  it('is the part of the sentence next to the citation', () => {
    const text = 'All was well. The pool was exhausted [2], so checkout slowed down to 2 s [1].';
    assert.deepEqual(statements(text, 2), ['The pool was exhausted']);
    assert.deepEqual(statements(text, 1), [', so checkout slowed down to 2 s']);
    assert.match(claimsOf(text, 1)[0]!.context, /The pool was exhausted/);
  });

  it('is the following text if nothing precedes it', () => {
    assert.deepEqual(statements('As shown by [3], the disk is full.', 3), [', the disk is full.']);
    assert.deepEqual(statements('[4] The disk is full.', 4), ['The disk is full.']);
  });

  it('is shared by citations that stand together, each time they do', () => {
    const text = 'The disk is full [1][2] and [3]. It was not cleaned up [2, 5].';
    assert.deepEqual(statements(text, 2), ['The disk is full', 'It was not cleaned up']);
    assert.deepEqual(statements(text, 3), ['The disk is full']);
  });

  it('is a row of a table or an item of a list', () => {
    assert.deepEqual(statements('| checkout | 2 s | [1] |\n| cart | 1 s | [2] |', 2), ['| cart | 1 s |   |']);
    assert.deepEqual(statements('- checkout is slow [1]\n- cart is down [2]', 2), ['- cart is down']);
  });

  it('is the text where it cites nothing, and nothing where it cites others only', () => {
    assert.deepEqual(statements('The disk is full.', 7), ['The disk is full.']);
    assert.deepEqual(statements('The disk is full [1].', 7), []);
    assert.deepEqual(statements('   ', 7), []);
  });

  it('is bounded however often and long a text cites', () => {
    const claims = claimsOf(`${'word '.repeat(5_000)} [1]. `.repeat(30), 1);
    assert.equal(claims.length, 12);
    assert.ok(claims.every(({ statement, context }) => statement.length <= 2_000 && context.length <= 2_000));
    assert.equal(claimsOf('[1]'.repeat(60_000), 1).length, 1);
  });
});
