/** Where excerpts stand in a stored text. */
import type { Span } from './spans.ts';

export interface Excerpt {
  text: string;
  /** In UTF-16 code units; null: not known. */
  offset: number | null;
}

/** At its offset where the text says the same there, otherwise at the first place that does; undefined: nowhere so far. */
export function placeOf({ text: words, offset }: Excerpt, text: string): Span | undefined {
  if (words === '') return undefined;
  const start = offset !== null && text.startsWith(words, offset) ? offset : text.indexOf(words);
  return start === -1 ? undefined : { start, end: start + words.length };
}
