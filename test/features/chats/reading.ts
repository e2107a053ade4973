/** A client of a UI message stream in a few lines: what somebody would see who follows the rules of the form. */
import assert from 'node:assert/strict';
import type { UiChunk } from '../../../src/features/chats/stream/chunks.ts';

interface Part {
  id: string;
  type: string;
  text: string;
  open: boolean;
}

export class StreamReader {
  parts: Part[] = [];
  readonly types: string[] = [];

  take(chunk: UiChunk): void {
    this.types.push(chunk.type);
    const open = this.parts.filter((part) => part.open);
    if (chunk.type === 'reset-step') {
      this.parts = this.parts.slice(0, this.parts.findLastIndex(({ type }) => type === 'step-start') + 1);
    } else if (chunk.type === 'start-step') {
      assert.equal(open.length, 0, 'a step begins while a part is open');
      this.parts.push({ id: '', type: 'step-start', text: '', open: false });
    } else if (chunk.type === 'text-start' || chunk.type === 'reasoning-start') {
      assert.equal(open.length, 0, 'two parts are open');
      this.parts.push({ id: chunk.id, type: chunk.type.replace('-start', ''), text: '', open: true });
    } else if (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') {
      this.openPart(chunk.id, chunk.type.replace('-delta', '')).text += chunk.delta;
    } else if (chunk.type === 'text-end' || chunk.type === 'reasoning-end') {
      this.openPart(chunk.id, chunk.type.replace('-end', '')).open = false;
    } else {
      assert.equal(open.length, 0, `${chunk.type} comes while a part is open`);
    }
  }

  /** All text parts together. */
  get text(): string {
    return this.parts
      .filter(({ type }) => type === 'text')
      .map(({ text }) => text)
      .join('');
  }

  private openPart(id: string, type: string): Part {
    const part = this.parts.find((candidate) => candidate.id === id && candidate.type === type);
    assert.ok(part?.open, `${type} ${id} is not open`);
    return part;
  }
}
