/** Searches a long text one slice at a time, so that the page stays responsive. */
import type { Span } from './spans.ts';

/** A slice takes a few milliseconds. */
const STRETCH = 250_000;
export const MAX_HITS = 10_000;

const escape = (words: string): string => words.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

/** Case-insensitive hits that start between two offsets. A hit may end past `to`. */
export function hitsIn(text: string, words: string, from: number, to: number): Span[] {
  const hits: Span[] = [];
  const pattern = new RegExp(escape(words), 'gi');
  const stretch = text.slice(from, to + words.length - 1);
  for (const { index } of stretch.matchAll(pattern)) {
    hits.push({ start: from + index, end: from + index + words.length });
    if (hits.length === MAX_HITS) break;
  }
  return hits;
}

export interface Search {
  readonly words: string;
  readonly hits: readonly Span[];
  /** How far the text has been searched. */
  readonly searched: number;
}

export const newSearch = (words: string): Search => ({ words, hits: [], searched: 0 });

/** Searches one more slice; returns the same search if nothing is left or enough was found. */
export function searchOn(search: Search, text: string): Search {
  const { words, hits, searched } = search;
  // A hit that runs past the loaded text is found once the rest arrives.
  const to = Math.min(searched + STRETCH, text.length - words.length + 1);
  if (words === '' || to <= searched || hits.length >= MAX_HITS) return search;
  const last = hits.at(-1)?.end ?? 0;
  const more = hitsIn(text, words, Math.max(searched, last), to);
  return { words, hits: [...hits, ...more].slice(0, MAX_HITS), searched: Math.max(to, more.at(-1)?.end ?? to) };
}
