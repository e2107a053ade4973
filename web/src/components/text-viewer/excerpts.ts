/** Where excerpts stand in a stored text. */
import type { Span } from './spans.ts';

export interface Excerpt {
  text: string;
  /** In UTF-16 code units; null: not known. */
  offset: number | null;
}

/**
 * At its offset where the text says the same there, otherwise at the first place that does.
 * @param text what is there of the text so far
 * @returns undefined where it is nowhere so far
 */
export function placeOf({ text: words, offset }: Excerpt, text: string, isWhole: boolean): Span | undefined {
  if (words === '') return undefined;
  // The same words may stand before the place that was cited.
  if (!isWhole && offset !== null && text.length < offset + words.length) return undefined;
  const start = offset !== null && text.startsWith(words, offset) ? offset : text.indexOf(words);
  return start === -1 ? undefined : { start, end: start + words.length };
}

/** How much of the text it takes to look for an excerpt. @param length how much of it is there */
export const reachOf = (excerpt: Excerpt | undefined, length: number): number =>
  Math.max(length + 1, excerpt === undefined || excerpt.offset === null ? 0 : excerpt.offset + excerpt.text.length);
