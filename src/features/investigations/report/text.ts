/** Splits a report's text into sentences and citations. */
import { hideCode, sentenceSpans } from '../../citations/index.ts';

const LIST = String.raw`\[(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\]`;
const MARKER = new RegExp(LIST, 'gu');
const WIDEST_RANGE = 50;

/** @returns trimmed sentences, see {@link sentenceSpans}, without those that have no letter */
export function sentencesOf(text: string): string[] {
  return sentenceSpans(text)
    .map(({ start, end }) => text.slice(start, end).trim())
    .filter((sentence) => /\p{L}/u.test(sentence));
}

/** @returns the numbers cited as `[n]`, `[n, m]` or `[n-m]`, in order, each once; code is ignored */
export function citedNumbers(text: string): number[] {
  const numbers = [...hideCode(text).matchAll(MARKER)].flatMap(([, list]) => expand(list ?? ''));
  return [...new Set(numbers)];
}

/** Rewrites every citation outside code. */
export function mapCitations(text: string, rewrite: (numbers: number[], marker: string) => string): string {
  const hidden = hideCode(text);
  let result = '';
  let end = 0;
  for (const match of hidden.matchAll(MARKER)) {
    result += text.slice(end, match.index) + rewrite(expand(match[1] ?? ''), match[0]);
    end = match.index + match[0].length;
  }
  return result + text.slice(end);
}

function expand(list: string): number[] {
  return list.split(/[,;]/u).flatMap((part) => {
    const [first, last] = part.split(/[–-]/u).map(Number);
    if (first === undefined) return [];
    if (last === undefined || last <= first || last - first > WIDEST_RANGE)
      return last === undefined ? [first] : [first, last];
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
