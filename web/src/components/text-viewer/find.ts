/** Looks for words in a long text, a stretch at a time, so that the page stays awake. */
import type { Span } from './spans.ts';

/** A stretch takes a few milliseconds. */
const STRETCH = 250_000;
export const MOST_HITS = 10_000;

const escape = (words: string): string => words.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

/** What is found between two offsets; without regard to case. A hit may end past `to`. */
export function hitsIn(text: string, words: string, from: number, to: number): Span[] {
  const hits: Span[] = [];
  const pattern = new RegExp(escape(words), 'gi');
  const stretch = text.slice(from, to + words.length - 1);
  for (const { index } of stretch.matchAll(pattern)) {
    hits.push({ start: from + index, end: from + index + words.length });
    if (hits.length === MOST_HITS) break;
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

/** Searches one more stretch; the same search when there is nothing to search, or enough was found. */
export function searchOn(search: Search, text: string): Search {
  const { words, hits, searched } = search;
  // A hit that ends past what is here is found when the rest has come.
  const to = Math.min(searched + STRETCH, text.length - words.length + 1);
  if (words === '' || to <= searched || hits.length >= MOST_HITS) return search;
  const last = hits.at(-1)?.end ?? 0;
  const more = hitsIn(text, words, Math.max(searched, last), to);
  return { words, hits: [...hits, ...more].slice(0, MOST_HITS), searched: Math.max(to, more.at(-1)?.end ?? to) };
}
