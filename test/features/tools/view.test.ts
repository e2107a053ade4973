import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { NOTHING, normalizeOutput, viewOf } from '../../../src/features/tools/view.ts';

const normalize = (content: string | Uint8Array, limit?: number) =>
  normalizeOutput({ content, digest: 'd' }, limit === undefined ? {} : { limit });

describe('views of stored content', () => {
  it('pages put together are the content, and no page splits a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.integer({ min: 1, max: 30 }), (content, limit) => {
        let read = '';
        let offset = 0;
        while (offset < content.length) {
          const view = viewOf(content, { offset, limit });
          assert.equal(view.text, content.slice(view.shownFrom, view.shownTo));
          assert.equal(view.shownFrom, offset);
          assert.ok(view.text.length <= Math.max(limit, 2));
          assert.ok(view.text.isWellFormed());
          read += view.text;
          offset = view.shownTo;
        }
        assert.equal(read, content);
      }),
      { numRuns: 300 },
    );
  });

  it('moves an offset within a character to its beginning', () => {
    const view = viewOf('a😀b', { offset: 2, limit: 10 });
    assert.deepEqual([view.text, view.shownFrom], ['😀b', 1]);
  });
});

describe('storable text of tool outputs', () => {
  it('keeps text, and bytes that are text', () => {
    assert.equal(normalize('héllo\n\t{"a":1}').content, 'héllo\n\t{"a":1}');
    const { content, form } = normalize(Buffer.from('naïve 😀'));
    assert.deepEqual([content, form], ['naïve 😀', 'text']);
  });

  it('says so when there is nothing', () => {
    for (const nothing of ['', ' \n ', new Uint8Array()]) {
      const { content, form } = normalize(nothing);
      assert.deepEqual([content, form], [NOTHING, 'empty']);
    }
  });

  it('describes bytes that are not text', () => {
    const bytes = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]), randomBytes(1_000)]);
    const { content, form } = normalize(bytes);
    assert.equal(form, 'binary');
    assert.ok(content.includes('binary, 1005 bytes'));
    assert.ok(content.includes(createHash('sha256').update(bytes).digest('hex')));
    assert.ok(content.includes(bytes.subarray(0, 64).toString('hex')));
    assert.equal(normalize(Buffer.from([0xc3, 0x28])).form, 'binary');
    assert.equal(normalize(Buffer.from('text\u0000more')).form, 'binary');
    assert.equal(normalize(bytes.toString('utf8')).form, 'binary');
  });

  it('replaces what PostgreSQL text and UTF-8 cannot hold', () => {
    const text = `a\u0000b \ud800 c ${'word '.repeat(20)}`;
    const { content } = normalize(text);
    assert.ok(content.startsWith('a␀b \ufffd c'));
    assert.ok(!content.includes('\u0000') && content.isWellFormed());
  });

  it('truncates at the cap, with a note, without splitting a character', () => {
    const long = normalize(`abc😀${'x'.repeat(100)}`, 4);
    assert.equal(long.content, 'abc\n[cut here: the tool returned 105 characters, the first 3 characters are stored]');
    assert.equal(long.cut, true);
    const bytes = normalize(Buffer.from('ab😀cd'), 4);
    assert.equal(bytes.content, 'ab\n[cut here: the tool returned 8 bytes, the first 2 characters are stored]');
  });

  it('holds 10 MB as it is and 30 MB cut', () => {
    const ten = 'line of a log\n'.repeat(750_000);
    assert.equal(normalize(ten).content, ten);
    const thirty = normalize(Buffer.alloc(30_000_000, 'ab\n'));
    assert.equal(thirty.cut, true);
    assert.ok(thirty.content.length < 20_000_200);
  });

  it('always gives well-formed text that is not empty', () => {
    const contents = fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 100 }));
    fc.assert(
      fc.property(contents, fc.integer({ min: 1, max: 50 }), (content, limit) => {
        const normalized = normalize(content, limit);
        assert.ok(normalized.content.length > 0);
        assert.ok(normalized.content.isWellFormed());
        assert.ok(!normalized.content.includes('\u0000'));
        assert.equal(normalized.digest, 'd');
      }),
      { numRuns: 500 },
    );
  });
});
