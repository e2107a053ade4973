import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MAX_PART_BYTES } from '@casebook/wire';
import { partsOf } from '../../../satellite/queries/index.ts';

const sizeOf = (part: string): number => Buffer.byteLength(JSON.stringify(part));

describe('satellite: parts of an answer', () => {
  it('give the text back, fit, and cut no character, whatever the text', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom('"', '\\', '\n', '\u0001', 'é', '€', '😀', '\ud800'),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      ),
      maxLength: 200,
    });
    fc.assert(
      fc.property(text, fc.integer({ min: 8, max: 40 }), (text, most) => {
        const parts = [...partsOf(text, most)];
        assert.equal(parts.join(''), text);
        assert.ok(parts.length > 0);
        for (const part of parts) assert.ok(sizeOf(part) <= most, `${sizeOf(part)} <= ${most}`);
        if (text.isWellFormed()) assert.ok(parts.every((part) => part.isWellFormed()));
      }),
      { numRuns: 400 },
    );
  });

  it('are as few as fit', () => {
    const parts = [...partsOf('a'.repeat(3 * (MAX_PART_BYTES - 2)), MAX_PART_BYTES)];
    assert.deepEqual(parts.map(sizeOf), [MAX_PART_BYTES, MAX_PART_BYTES, MAX_PART_BYTES]);
  });
});
