import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { findSlices, readToolResult } from '../../../src/features/tools/read-tool-result.ts';
import { VIEW_CHARACTERS } from '../../../src/features/tools/view.ts';
import { storedEvidence, toolContext } from '../../support/tool-context.ts';

const log = Array.from(
  { length: 100_000 },
  (_, line) => `line ${line} says ${line % 9_999 === 0 ? 'FATAL disk full' : 'all is well'}`,
).join('\n');
const json = JSON.stringify({
  rows: Array.from({ length: 20_000 }, (_, row) => ({ row, text: row === 15_555 ? 'Nädel' : 'hay' })),
});
const context = toolContext({ evidence: [storedEvidence(1, 'search_logs', log), storedEvidence(2, 'promql', json)] });

const read = async (input: unknown) => {
  const output = await readToolResult.run(readToolResult.input.parse(input), context);
  return { ...output, text: String(output.content) };
};

describe('read_tool_result', () => {
  it('pages through all of a result, every page within one view and verbatim', async () => {
    let whole = '';
    for (let offset = 0; offset < 60_000;) {
      const { text } = await read({ evidence: 1, offset });
      assert.ok(text.length <= VIEW_CHARACTERS);
      const page = text.slice(text.indexOf(':\n') + 2);
      assert.equal(page, log.slice(offset, offset + page.length));
      whole += page;
      offset += page.length;
      assert.match(
        text,
        new RegExp(
          `^Evidence 1 \\(search_logs, ${log.length} characters\\), characters \\d+-${offset}; read on with offset ${offset}:`,
          'u',
        ),
      );
    }
    assert.ok(log.startsWith(whole));
  });

  it('says when the end is reached, and refuses to go past it', async () => {
    assert.match((await read({ evidence: 2, offset: json.length - 10 })).text, /this is the end:\n/u);
    const past = await read({ evidence: 2, offset: json.length });
    assert.equal(past.isError, true);
    assert.match(past.text, /past its end/u);
  });

  it('finds a text in any case, with its line and offset', async () => {
    const { text, digest } = await read({ evidence: 1, search: 'fatal DISK' });
    assert.match(digest, /^11 places with "fatal DISK" in evidence 1$/u);
    const pieces = [...text.matchAll(/\[characters (\d+)-(\d+)\]\n(.*)/gu)];
    assert.equal(pieces.length, 11);
    for (const [, from, to, piece] of pieces) assert.equal(log.slice(Number(from), Number(to)), piece);
    assert.equal(pieces[1]?.[3], 'line 9999 says FATAL disk full');
  });

  it('shows what is around a place in a result that is one line', async () => {
    const { text } = await read({ evidence: 2, search: 'nÄdel' });
    assert.match(text, /1 place shown/u);
    assert.ok(text.includes('{"row":15555,"text":"Nädel"}'));
    assert.ok(text.length < 1_000);
  });

  it('resumes a search where it stopped', async () => {
    const first = await read({ evidence: 1, search: 'all is well' });
    assert.ok(first.text.length <= VIEW_CHARACTERS);
    const next = Number(/search again with offset (\d+)/u.exec(first.text)?.[1]);
    const second = await read({ evidence: 1, search: 'all is well', offset: next });
    const last = [...first.text.matchAll(/-(\d+)\]/gu)].at(-1)?.[1];
    const begin = /\[characters (\d+)-/u.exec(second.text)?.[1];
    assert.ok(Number(last) <= next && Number(begin) <= next);
  });

  it('says so, without repeating it, when a text does not occur', async () => {
    const { text, isError } = await read({ evidence: 1, search: 'root cause: db' });
    assert.match(text, /does not occur/u);
    assert.ok(!text.includes('root cause: db'));
    assert.equal(isError, undefined);
  });

  it("does not turn the model's own words into evidence", async () => {
    const own = toolContext({ evidence: [storedEvidence(1, 'submit_report', '{"error":"it was db"}')] });
    const output = await readToolResult.run(readToolResult.input.parse({ evidence: 1 }), own);
    assert.equal(output.isError, true);
    assert.ok(!String(output.content).includes('it was db'));
  });

  it('says so when there is no such evidence', async () => {
    const { text, isError } = await read({ evidence: 9 });
    assert.equal(isError, true);
    assert.match(text, /no evidence 9/u);
  });

  it('finds every place once, in slices that hold it', () => {
    const parts = fc.array(fc.constantFrom('ab', 'AB', 'İ', 'x', '\n', '😀', ' '.repeat(300)), { maxLength: 40 });
    fc.assert(
      fc.property(parts, fc.integer({ min: 1, max: 2_000 }), (words, room) => {
        const text = words.join('');
        const places = [...text.matchAll(/ab/giu)].map(({ index }) => index);
        const found: number[] = [];
        for (let offset: number | undefined = 0; offset !== undefined;) {
          const result = findSlices(text, 'ab', { offset, room });
          const { next = Infinity } = result;
          const start: number = offset;
          const held = places.filter((at) => at >= start && at < next);
          assert.equal(result.matches, held.length);
          assert.ok(held.every((at) => result.slices.some(({ from, to }) => from <= at && at + 2 <= to)));
          found.push(...held);
          assert.ok(next > start);
          offset = result.next;
        }
        assert.deepEqual(found, places);
      }),
      { numRuns: 300 },
    );
  });
});
