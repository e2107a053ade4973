import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ReplyReader } from '../../../src/features/satellites/calls/reply-reader.ts';

describe('the reader of replies', () => {
  it('takes no answer for whole that lacks a part in its middle', () => {
    const reader = new ReplyReader();
    reader.add(1, { type: 'part', index: 0, text: '[1' });
    reader.add(1, { type: 'part', index: 2, text: '3]' });
    reader.add(1, { type: 'end', parts: 3, tookMs: 1 });
    assert.deepEqual(reader.state(), { state: 'waiting' });
    reader.add(1, { type: 'part', index: 1, text: ',2,' });
    assert.deepEqual(reader.state(), { state: 'answered', text: '[1,2,3]', tookMs: 1 });
  });
});
