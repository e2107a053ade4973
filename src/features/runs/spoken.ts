/** What a model turn said, in the same pieces and order for readers of its stream and of its row. */
import { createHash } from 'node:crypto';
import { CUT_OFF, type ContentBlock, type ModelDelta, type ModelResponse } from '../../platform/anthropic/port.ts';

/** A stretch of text or thinking without a tool call in it. */
export interface SpokenPart {
  kind: 'text' | 'thinking';
  text: string;
}

/** The parts of a stored turn: adjacent blocks of one kind form one part, as their deltas form one stretch. */
export function spokenParts(content: readonly ContentBlock[]): SpokenPart[] {
  const parts: SpokenPart[] = [];
  let broken = true;
  for (const block of content) {
    const said =
      block.type === 'text'
        ? { kind: 'text' as const, text: block.text }
        : block.type === 'thinking'
          ? { kind: 'thinking' as const, text: block.thinking }
          : undefined;
    if (!said) broken ||= block.type === 'tool_use';
    else if (said.text !== '') {
      const last = parts.at(-1);
      if (last && !broken && last.kind === said.kind) last.text += said.text;
      else parts.push(said);
      broken = false;
    }
  }
  return parts;
}

/** Equal for equal parts, so that a reader can tell whether the deltas it saw are what was stored. */
export function spokenDigest(parts: readonly SpokenPart[]): string {
  const digest = new SpokenDigest();
  for (const { kind, text } of parts) digest.add(kind, text, true);
  return digest.value();
}

/** The {@link spokenDigest} of parts that arrive piece by piece, without keeping them. */
export class SpokenDigest {
  private readonly hash = createHash('sha256');
  /** Terminates the last part with its kind and size, so that no other parts yield the same bytes. */
  private end = '';
  private bytes = 0;

  /** @param begins whether this is the first piece of a part */
  add(kind: SpokenPart['kind'], text: string, begins: boolean): void {
    if (begins) {
      this.hash.update(this.end);
      this.bytes = 0;
    }
    this.bytes += Buffer.byteLength(text);
    this.end = `:${kind}:${this.bytes};`;
    this.hash.update(text);
  }

  value(): string {
    return this.hash.copy().update(this.end).digest('base64url').slice(0, 22);
  }
}

/** The text of a call's deltas, in case it is cut off. */
export class SpokenSoFar {
  private readonly content: ContentBlock[] = [];
  private broken = true;

  add(delta: ModelDelta): void {
    if (delta.kind === 'tool_call') {
      this.broken = true;
      return;
    }
    const last = this.content.at(-1);
    if (!this.broken && delta.kind === 'text' && last?.type === 'text') last.text += delta.text;
    // Thinking without its signature cannot be sent back, so only the text of a cut-off turn is kept.
    else if (delta.kind === 'text') this.content.push({ type: 'text', text: delta.text, citations: null });
    this.broken = delta.kind !== 'text';
  }

  /** Undefined if nothing was said. */
  response(model: string): ModelResponse | undefined {
    if (this.content.length === 0) return undefined;
    const usage = { inputTokens: 0, outputTokens: 0, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
    return { content: this.content, stopReason: CUT_OFF, usage, costUsd: 0, model };
  }
}
