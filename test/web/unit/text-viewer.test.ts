import assert from 'node:assert/strict';
import fc from 'fast-check';
import { placeOf, reachOf } from '../../../web/src/components/text-viewer/excerpts.ts';
import { hitsIn, newSearch, searchOn } from '../../../web/src/components/text-viewer/find.ts';
import { Lines, type Line } from '../../../web/src/components/text-viewer/lines.ts';
import { segments } from '../../../web/src/components/text-viewer/spans.ts';
import { visiblePieces, visibleText } from '../../../web/src/components/text-viewer/visible.ts';

const linesOf = (text: string, byStructure = true): Line[] => {
  const lines = new Lines(byStructure);
  lines.extend(text, true);
  return Array.from({ length: lines.length }, (_, index) => lines.line(index));
};
const slices = (text: string, lines: readonly Line[]): string[] =>
  lines.map(({ start, end }) => text.slice(start, end));

/** What tools return, and what looks like it. */
const storedText = fc.oneof(
  fc.json({ maxDepth: 6 }),
  fc.json().map((json) => JSON.stringify(JSON.parse(json), null, 2)),
  fc.array(fc.json(), { maxLength: 5 }).map((lines) => lines.join('\n')),
  fc.string({
    unit: fc.constantFrom('{', '}', '[', ']', ',', '"', '\\', 'n', '\n', '\r', ' ', 'é', '😀', '\ud800'),
    maxLength: 400,
  }),
  fc.string({ unit: 'binary' }),
  fc
    .string({ unit: fc.constantFrom('ab', '😀', '"'), minLength: 900, maxLength: 1_400 })
    .map((text) => `{"a":"${text}`),
);

describe('web: lines of a stored text', () => {
  it('put together are the text, and none is empty', () => {
    fc.assert(
      fc.property(storedText, fc.boolean(), (text, byStructure) => {
        const lines = linesOf(text, byStructure);
        assert.equal(slices(text, lines).join(''), text);
        assert.ok(lines.every(({ start, end }) => start < end && end - start <= 1_001));
      }),
      { numRuns: 2_000 },
    );
  });

  it('are the same however the text comes in parts', () => {
    fc.assert(
      fc.property(storedText, fc.array(fc.nat(1_500), { maxLength: 8 }), (text, cuts) => {
        const lines = new Lines(true);
        for (const cut of cuts.sort((a, b) => a - b)) lines.extend(text.slice(0, cut), false);
        lines.extend(text, true);
        assert.deepEqual(
          Array.from({ length: lines.length }, (_, index) => lines.line(index)),
          linesOf(text),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it('an offset is found in the line that holds it', () => {
    fc.assert(
      fc.property(
        storedText.filter((text) => text !== ''),
        fc.nat(),
        (text, any) => {
          const lines = new Lines(true);
          lines.extend(text, true);
          const offset = any % text.length;
          const { start, end } = lines.line(lines.indexOf(offset));
          assert.ok(start <= offset && offset < end);
        },
      ),
    );
  });

  it('JSON is broken at its structure; what is short stays in one line', () => {
    const long = 'x'.repeat(90);
    const text = JSON.stringify({
      service: 'payment',
      empty: {},
      points: [1, 2, 3],
      signals: [{ metric: long, score: 1 }],
    });
    assert.deepEqual(
      linesOf(text).map(({ start, end, indent }) => `${'  '.repeat(indent)}${text.slice(start, end)}`),
      [
        '{',
        '  "service":"payment",',
        '  "empty":{},',
        '  "points":[1,2,3],',
        '  "signals":[',
        '    {',
        `      "metric":"${long}",`,
        '      "score":1',
        '    }',
        '  ]',
        '}',
      ],
    );
  });

  it('log lines keep their numbers and their brackets', () => {
    const text = '[2026-11-21] GET /a,b {"x":1}\r\n[2026-11-22] ok\n\nend';
    const lines = linesOf(text);
    assert.deepEqual(slices(text, lines), ['[2026-11-21] GET /a,b {"x":1}\r\n', '[2026-11-22] ok\n', '\n', 'end']);
    assert.deepEqual(
      lines.map(({ number }) => number),
      [1, 2, 3, 4],
    );
  });

  it('what has no line end is cut into pieces, never within a character', () => {
    const text = `a${'😀'.repeat(5_000)}`;
    const cut = slices(text, linesOf(text));
    assert.ok(cut.length >= 10);
    assert.ok(cut.every((piece) => piece.isWellFormed()));
  });
});

describe('web: what is marked in a stored text', () => {
  it('segments put together are the line, each covered by the same spans all over', () => {
    const span = fc
      .tuple(fc.nat(60), fc.integer({ min: 1, max: 20 }))
      .map(([start, length]) => ({ start, end: start + length }));
    fc.assert(
      fc.property(fc.array(span, { maxLength: 4 }), fc.nat(30), fc.nat(30), (excerpts, start, length) => {
        const line = { start, end: start + length };
        const parts = segments(line, excerpts, []);
        assert.equal(
          parts.reduce((sum, part) => sum + part.end - part.start, 0),
          length,
        );
        for (const part of parts) {
          for (let at = part.start; at < part.end; at++) {
            const covering = [...excerpts.keys()].filter(
              (index) => excerpts[index]!.start <= at && at < excerpts[index]!.end,
            );
            assert.deepEqual(part.excerpts, covering);
          }
        }
      }),
    );
  });

  it('an excerpt is where its offset says, if the text says the same there', () => {
    const text = 'score 1, score 1, score 2';
    assert.deepEqual(placeOf({ text: 'score 1', offset: 9 }, text, true), { start: 9, end: 16 });
    assert.deepEqual(placeOf({ text: 'score 1', offset: 3 }, text, true), { start: 0, end: 7 });
    assert.deepEqual(placeOf({ text: 'score 2', offset: null }, text, true), { start: 18, end: 25 });
    assert.equal(placeOf({ text: 'score 3', offset: 0 }, text, true), undefined);
    // The place that was cited is not there yet: an earlier one is another.
    assert.equal(placeOf({ text: 'score 1', offset: 9 }, text.slice(0, 12), false), undefined);
    assert.equal(reachOf({ text: 'score 1', offset: 9 }, 12), 16);
    assert.equal(reachOf({ text: 'score 1', offset: null }, 12), 13);
  });

  it('a search in stretches finds what a search of the whole finds', () => {
    const text = `${'needle hay '.repeat(60_000)}NEEDLE (.*)`;
    let search = newSearch('needle');
    for (let next = searchOn(search, text); next !== search; next = searchOn(search, text)) search = next;
    assert.equal(search.hits.length, 10_000);
    const rare = `${'x'.repeat(249_997)}needle${'y'.repeat(300_000)}Needle`;
    let other = newSearch('needle');
    for (let next = searchOn(other, rare); next !== other; next = searchOn(other, rare)) other = next;
    assert.deepEqual(other.hits, [
      { start: 249_997, end: 250_003 },
      { start: 550_003, end: 550_009 },
    ]);
    assert.equal(hitsIn(text, '(.*)', 0, text.length).length, 1);
  });

  it('a search continues when more of the text has arrived', () => {
    let search = searchOn(newSearch('end'), 'the e');
    search = searchOn(search, 'the end, the end');
    assert.deepEqual(
      search.hits.map(({ start }) => start),
      [4, 13],
    );
  });

  it('what cannot be seen, or turns what is around it, is named', () => {
    assert.equal(visibleText('a\u202Eb\u0000\u001b[31m\u200b\ud800z'), 'aRLObNULESC[31mZWSPU+D800z');
    assert.equal(visibleText('plain\ttab, עברית and 😀'), 'plain\ttab, עברית and 😀');
    assert.deepEqual(visiblePieces('\u2066x').at(0), { text: 'LRI', name: 'U+2066 LRI' });
  });
});
