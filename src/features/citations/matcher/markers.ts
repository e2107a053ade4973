/** Citation markers in a text: what `[1]` and its relatives cite. */
import { hideCode, type Span } from './sentences.ts';

/** One marker and the numbers it cites. */
export interface Marker extends Span {
  numbers: number[];
}

const DASH = '[-–—]';
const LIST = String.raw`(\d{1,9}(?:\s{0,2}(?:[,;、]|${DASH})\s{0,2}[\^#]?\d{1,9}){0,30})`;
const WORD = String.raw`(?:(?:citation|cite|source|ref|reference|evidence|result)s?[ :#]{1,2})?`;
const MARKER = new RegExp(
  String.raw`\[\^?#?${WORD}${LIST}\]|[【［〔]${WORD}${LIST}(?:†[^】\n]{0,80})?[】］〕]|<sup>\[?${LIST}\]?</sup>`,
  'giu',
);
const WIDEST_RANGE = 50;

/**
 * Finds the markers of a text. Read as citations: `[1]`, `[^1]`, `[#1]`, `[1, 3]`, `[1-3]`, `[[1]]`, `[source 1]`,
 * `【1】`, `【1†…】`, `<sup>1</sup>` and the label of a link, `[1](https://…)`. Not read as citations: anything in code, the
 * index of an array (`a[1]`, `rows[0].id`), an image, and the definition of a reference or footnote (`[1]: …`).
 */
export function findMarkers(text: string): Marker[] {
  const flat = hideCode(text);
  const markers: Marker[] = [];
  for (const match of flat.matchAll(MARKER)) {
    const start = match.index;
    const end = start + match[0].length;
    if (isIndex(flat, start, end, markers.at(-1)) || isDefinition(flat, start, end)) continue;
    markers.push({ start, end, numbers: expand(match[1] ?? match[2] ?? match[3] ?? '') });
  }
  return markers;
}

/** @returns every number that a text cites, see {@link findMarkers}, in order of appearance, each once */
export function citedNumbers(text: string): number[] {
  return [...new Set(findMarkers(text).flatMap(({ numbers }) => numbers))];
}

/** What precedes a bracket that is an index: an identifier, a call or another index. */
const INDEXED = /(?:^|[^\p{L}\p{N}_$.])(?:[\p{L}_$]|[\p{L}\p{N}_$.]*(?:[_$]|\p{Ll}\p{Lu}|\.\p{L})[\p{L}\p{N}_$.]*)$/u;

function isIndex(flat: string, start: number, end: number, previous: Marker | undefined): boolean {
  const before = flat[start - 1] ?? ' ';
  if (before === '!') return true;
  if (previous?.end === start) return false;
  if (before === ']') return true;
  if (!/[\p{L}\p{N}_$]/u.test(before)) return false;
  const after = flat.slice(end, end + 2);
  // Text that continues like an expression is one; `exhausted[1].` at the end of a sentence is not.
  return /^(?:\.[\p{L}_]|[=(]|\[\D)/u.test(after) || INDEXED.test(flat.slice(Math.max(0, start - 40), start));
}

function isDefinition(flat: string, start: number, end: number): boolean {
  if (flat[end] !== ':') return false;
  const line = flat.slice(Math.max(0, start - 4), start);
  return /(?:^|\n) {0,3}$/u.test(line) && (start < 4 || line.includes('\n'));
}

function expand(list: string): number[] {
  return list.split(/[,;、]/u).flatMap((part) => {
    const [first, last] = part.split(/[-–—]/u).map((number) => Number(number.replaceAll(/[^\d]/gu, '')));
    if (first === undefined) return [];
    if (last === undefined) return [first];
    if (last <= first || last - first > WIDEST_RANGE) return [first, last];
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
