import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { citedNumbers, mapCitations, sentencesOf } from '../../../src/features/investigations/report/text.ts';

describe('sentences of a report', () => {
  const cases: [string, string, string[]][] = [
    [
      'full stops and citations before them',
      'The pool was full [1]. It had 100 clients [2].',
      ['The pool was full [1].', 'It had 100 clients [2].'],
    ],
    [
      'citations after the full stop',
      'One thing. [1] Another.[2] A third. [3, 4]',
      ['One thing. [1]', 'Another.[2]', 'A third. [3, 4]'],
    ],
    [
      'sentences that begin in lower case',
      'It was slow [1]. db was full. p95 rose to 1.6 s. web failed.',
      ['It was slow [1].', 'db was full.', 'p95 rose to 1.6 s.', 'web failed.'],
    ],
    [
      'versions, decimals and host names',
      'v1.2.3 of api.shop.example took 3.5 s [1].',
      ['v1.2.3 of api.shop.example took 3.5 s [1].'],
    ],
    [
      'abbreviations',
      'Some services, e.g. Checkout, cf. Fig. 3, failed for 5 min. in all [1].',
      ['Some services, e.g. Checkout, cf. Fig. 3, failed for 5 min. in all [1].'],
    ],
    ['a unit at the end', 'It lasted 5 min. Then it ended.', ['It lasted 5 min.', 'Then it ended.']],
    [
      'questions, exclamations and quotes',
      'Why? It said "no more." Then it stopped!',
      ['Why?', 'It said "no more."', 'Then it stopped!'],
    ],
    [
      'list items and paragraphs',
      'Seen:\n- one [1]\n- two\n\nWrapped\nline [3].',
      ['Seen:', '- one [1]', '- two', 'Wrapped\nline [3].'],
    ],
    ['code', 'It logged `Failed. Retry. [7]` often [1]. Done.', ['It logged `Failed. Retry. [7]` often [1].', 'Done.']],
    ['other scripts', '连接池已满[1]。重启。', ['连接池已满[1]。', '重启。']],
    ['nothing to say', ' \n---\n1.\n', []],
  ];
  for (const [name, text, expected] of cases) {
    it(`splits at ${name}`, () => assert.deepEqual(sentencesOf(text), expected));
  }

  it('loses no letter and no citation of any text', () => {
    const part = fc.constantFrom(
      'word',
      ' ',
      '. ',
      '.\n',
      '[1]',
      '[2, 3]',
      '`',
      '``',
      '\n- ',
      '!',
      'e.g. ',
      '。',
      '[',
      ']',
      '\n\n',
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 40 }).map((parts) => parts.join('')),
        (text) => {
          const sentences = sentencesOf(text);
          const letters = (some: string) => some.replaceAll(/[^a-z]/gu, '');
          assert.equal(letters(sentences.join('')), letters(text));
          const withLetters = sentences.flatMap((sentence) => citedNumbers(sentence));
          assert.ok(withLetters.every((n) => text.includes(String(n))));
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('citations in text', () => {
  it('are read one by one, in lists and ranges, each once, and not in code', () => {
    assert.deepEqual(
      citedNumbers('a [3], b [1, 2] c [5-7] d [3] `x[9]` [10][11] [a] [1234] ```\n[8]\n```'),
      [3, 1, 2, 5, 6, 7, 10, 11],
    );
    assert.deepEqual(citedNumbers('[1-900]'), [1, 900]);
  });

  it('are rewritten where they stand', () => {
    const text = 'a [1] `b [2]` [3, 4]!';
    assert.equal(
      mapCitations(text, (numbers) => `<${numbers.join('+')}>`),
      'a <1> `b [2]` <3+4>!',
    );
    fc.assert(
      fc.property(fc.string(), (any) =>
        assert.equal(
          mapCitations(any, (_, marker) => marker),
          any,
        ),
      ),
    );
  });
});
