/** How a model's stretches of speech become the text parts of a message, both streamed and stored. */
import { createHash, type Hash } from 'node:crypto';
import type { SpokenPart } from '../../runs/index.ts';
import type { TextKind } from './chunks.ts';

interface MessagePart {
  kind: TextKind;
  text: string;
}

/** Separates two stretches of text, so that the joined parts read well. */
const SEPARATOR = '\n\n';

export const kindOf = ({ kind }: SpokenPart): TextKind => (kind === 'thinking' ? 'reasoning' : 'text');

/** The prefix of a stretch: a blank line if it is text and not the first. */
export function separatorBefore(kind: TextKind, earlier: readonly { kind: SpokenPart['kind'] | TextKind }[]): string {
  return kind === 'text' && earlier.some((part) => part.kind === 'text') ? SEPARATOR : '';
}

/** The parts of a message, from everything spoken in it. */
export function messageParts(spoken: readonly SpokenPart[]): MessagePart[] {
  return spoken.map((part, index) => {
    const kind = kindOf(part);
    return { kind, text: separatorBefore(kind, spoken.slice(0, index)) + part.text };
  });
}

/** A message's text: its text parts joined, byte for byte. */
export function messageText(spoken: readonly SpokenPart[]): string {
  return messageParts(spoken)
    .filter(({ kind }) => kind === 'text')
    .map(({ text }) => text)
    .join('');
}

/** Equal for equal texts. */
export function textDigest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** The {@link textDigest} of a {@link messageText} that arrives piece by piece, without keeping it. */
export class MessageDigest {
  private readonly hash: Hash;
  private hasText: boolean;

  /** @param from the state so far */
  constructor(from?: MessageDigest) {
    this.hash = from ? from.hash.copy() : createHash('sha256');
    this.hasText = from?.hasText ?? false;
  }

  /** @param begins whether this is the first piece of a part */
  add(part: SpokenPart, begins: boolean): void {
    if (kindOf(part) !== 'text') return;
    if (begins && this.hasText) this.hash.update(SEPARATOR);
    this.hasText = true;
    this.hash.update(part.text);
  }

  value(): string {
    return this.hash.copy().digest('base64url').slice(0, 22);
  }
}
