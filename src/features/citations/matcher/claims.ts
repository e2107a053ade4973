/** What a text claims with a citation. */
import { findMarkers, type Marker } from './markers.ts';
import { sentenceSpans, type Span } from './sentences.ts';

/** A statement for which a text cites something. */
export interface Claim {
  /** What the citation supports. */
  statement: string;
  /** The rest of the sentence and the sentence before: the subject of the statement. */
  context: string;
}

/** Further citations of the same number are ignored. */
const MAX_CLAIMS = 12;
const STATEMENT_CHARACTERS = 2_000;

/**
 * The claims for which a text cites a number. A claim is the part of the sentence from the previous citation to this
 * one; if that part says nothing (`According to [2], …`), it is the part that follows. In a table it is the row. A text
 * without any citation is one claim, since a caller may have cut the number off. A text that cites only other numbers
 * makes no claim for this one.
 */
export function claimsOf(text: string, citationId: number): Claim[] {
  const markers = findMarkers(text);
  if (markers.length === 0) return text.trim() === '' ? [] : [{ statement: bound(text), context: '' }];
  const claims: Claim[] = [];
  const sentences = sentenceSpans(text);
  let next = 0;
  for (const [index, sentence] of sentences.entries()) {
    const first = next;
    while (next < markers.length && markers[next]!.start < sentence.end) next++;
    const inSentence = markers.slice(first, next);
    const groups = groupsOf(text, inSentence);
    for (const [at, { numbers }] of groups.entries()) {
      if (!numbers.includes(citationId)) continue;
      const part = statementOf(text, sentence, groups, at);
      const before = contextBefore(text, sentences, index);
      const rest = `${text.slice(sentence.start, part.start)} ${text.slice(part.end, sentence.end)}`;
      claims.push({ statement: bound(plain(text, part, inSentence)), context: bound(`${before} ${rest}`) });
      if (claims.length === MAX_CLAIMS) return claims;
    }
  }
  return claims;
}

/** Adjacent markers share their claim. */
function groupsOf(text: string, markers: readonly Marker[]): Marker[] {
  const groups: Marker[] = [];
  for (const marker of markers) {
    const last = groups.at(-1);
    if (last && isBetweenMarkers(text.slice(last.end, marker.start))) {
      last.end = marker.end;
      last.numbers.push(...marker.numbers);
    } else {
      groups.push({ ...marker, numbers: [...marker.numbers] });
    }
  }
  return groups;
}

const isBetweenMarkers = (text: string): boolean => text.length <= 5 && /^(?:[\s,;&]|and)*$/u.test(text);

function statementOf(text: string, sentence: Span, groups: readonly Span[], at: number): Span {
  const row = text.slice(sentence.start, sentence.end).trim();
  if (row.startsWith('|') || row.split('|', 3).length === 3) return sentence;
  const { start, end } = groups[at]!;
  const before = { start: groups[at - 1]?.end ?? sentence.start, end: start };
  if (saysSomething(text.slice(before.start, before.end))) return before;
  const after = { start: end, end: groups[at + 1]?.start ?? sentence.end };
  return saysSomething(text.slice(after.start, after.end)) ? after : sentence;
}

/** At least two words besides those that only introduce the citation. */
function saysSomething(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !LEADING.has(word)).length >= 2 || /[\p{Script=Han}]{3}/u.test(text);
}
const LEADING = new Set(
  'according to as in per see from by the result results of evidence source shown shows and also but this that is are'.split(
    ' ',
  ),
);

/** The previous sentence, unless it is in another paragraph, list item or row. */
function contextBefore(text: string, sentences: readonly Span[], index: number): string {
  const before = sentences[index - 1];
  if (!before) return '';
  const said = text.slice(before.start, before.end);
  return said.endsWith('\n') || /^\s*\n/u.test(text.slice(before.end, sentences[index]!.end)) ? '' : said;
}

/** A part of the text without its markers. */
function plain(text: string, part: Span, markers: readonly Marker[]): string {
  let result = '';
  let done = part.start;
  for (const { start, end } of markers) {
    if (start < done || end > part.end) continue;
    result += `${text.slice(done, start)} `;
    done = end;
  }
  return result + text.slice(done, part.end);
}

/** The citation belongs to the end of a long statement. */
const bound = (text: string): string => text.trim().slice(-STATEMENT_CHARACTERS);
