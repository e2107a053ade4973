/** Locates excerpts in a stored text. */
import type { Span } from './spans.ts';

export interface Excerpt {
  text: string;
  /** In UTF-16 code units; null if unknown. */
  offset: number | null;
}

/**
 * At its offset if the text matches there, otherwise at the first match.
 * @param text what has been loaded so far
 * @returns undefined if it is not in the text so far
 */
export function placeOf({ text: words, offset }: Excerpt, text: string, isWhole: boolean): Span | undefined {
  if (words === '') return undefined;
  // The same words may also occur before the cited place.
  if (!isWhole && offset !== null && text.length < offset + words.length) return undefined;
  const start = offset !== null && text.startsWith(words, offset) ? offset : text.indexOf(words);
  return start === -1 ? undefined : { start, end: start + words.length };
}

/** How much text is needed to look for an excerpt. @param length how much is loaded */
export const reachOf = (excerpt: Excerpt | undefined, length: number): number =>
  Math.max(length + 1, excerpt === undefined || excerpt.offset === null ? 0 : excerpt.offset + excerpt.text.length);
