/** From what a tool returned to what is stored, and from there to what a model is shown. */
import { createHash } from 'node:crypto';
import { safeCut } from './text.ts';
import type { ToolOutput } from './tool.ts';

/** How many characters of one tool result a model is shown at once. */
export const VIEW_CHARACTERS = 16_000;
/** How many characters of one tool result are stored. */
const STORED_CHARACTERS = 20_000_000;
export const NOTHING = '(the tool returned nothing)';

/** A part of a stored tool result. Positions are UTF-16 code units of the stored content. */
export interface View {
  text: string;
  characters: number;
  shownFrom: number;
  shownTo: number;
}

/** A tool's output, with its content as text that any store can hold. */
export interface NormalizedOutput extends Omit<ToolOutput, 'content'> {
  /** Well-formed text without NUL, never empty. */
  content: string;
  form: 'text' | 'binary' | 'empty';
  /** Something was cut off, as the end of `content` also says. */
  cut: boolean;
}

/**
 * A bounded part of a stored tool result.
 * @param content the stored text
 * @param options.offset where to start, in UTF-16 code units; moved back by one rather than split a character
 * @param options.limit maximum characters to show
 */
export function viewOf(content: string, options: { offset?: number; limit?: number } = {}): View {
  const { offset = 0, limit = VIEW_CHARACTERS } = options;
  const shownFrom = safeCut(content, offset);
  const end = safeCut(content, shownFrom + limit);
  // A limit of one would never get past a character of two units.
  const shownTo = end > shownFrom ? end : Math.min(content.length, shownFrom + 2);
  return { text: content.slice(shownFrom, shownTo), characters: content.length, shownFrom, shownTo };
}

/**
 * Turns a tool's output into storable text. UTF-8 bytes become text; other bytes become a description with their
 * digest; nothing becomes words that say so; content over the cap is cut with a note. NUL, which PostgreSQL cannot
 * store, becomes its symbol `␀`, and lone surrogates become U+FFFD.
 * @param options.limit maximum characters to store
 */
export function normalizeOutput(output: ToolOutput, options: { limit?: number } = {}): NormalizedOutput {
  const { limit = STORED_CHARACTERS } = options;
  return { ...output, ...normalizeContent(output.content, limit) };
}

function normalizeContent(raw: string | Uint8Array, limit: number): Pick<NormalizedOutput, 'content' | 'form' | 'cut'> {
  const text = typeof raw === 'string' ? decodedText(raw) : decode(raw, limit);
  if (text === undefined) {
    const bytes = typeof raw === 'string' ? Buffer.from(raw, 'utf8') : raw;
    return { content: describeBytes(bytes), form: 'binary', cut: false };
  }
  if (text.trim() === '') return { content: NOTHING, form: 'empty', cut: false };
  const size = typeof raw === 'string' ? raw.length : raw.byteLength;
  const unit = typeof raw === 'string' ? 'characters' : 'bytes';
  if (size <= limit) return { content: storable(text), form: 'text', cut: false };
  const kept = text.slice(0, safeCut(text, limit));
  const note = `\n[cut here: the tool returned ${size} ${unit}, the first ${kept.length} characters are stored]`;
  return { content: storable(kept) + note, form: 'text', cut: true };
}

/** @returns the text, or undefined if it is binary data decoded as text */
function decodedText(text: string): string | undefined {
  const head = text.slice(0, 8_192);
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  const odd = head.match(/[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/gu)?.length ?? 0;
  return odd > head.length / 10 ? undefined : text;
}

/** @returns the text in up to `limit` of the bytes, or undefined if they are not UTF-8 */
function decode(bytes: Uint8Array, limit: number): string | undefined {
  if (bytes.includes(0)) return undefined;
  const whole = bytes.byteLength <= limit;
  try {
    // A cut may fall inside a character; `stream` drops the partial character instead of failing on it.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, limit), { stream: !whole });
  } catch {
    return undefined;
  }
}

function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\u2400');
}

function describeBytes(bytes: Uint8Array): string {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const head = Buffer.from(bytes.subarray(0, 64)).toString('hex');
  return `(binary, ${bytes.byteLength} bytes, sha256 ${sha256}, first ${Math.min(64, bytes.byteLength)} bytes in hex: ${head})`;
}
