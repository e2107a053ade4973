/** Splits text into sentences. */

/** A part of a text: UTF-16 code units from `start` to `end`, exclusive. */
export interface Span {
  start: number;
  end: number;
}

// Every repetition is bounded, so time is linear in the length of any text.
const LIST = String.raw`\[\^?\d{1,9}(?:\s{0,2}[,;–-]\s{0,2}\d{1,9}){0,30}\]`;
/** Line breaks that do not end a sentence: no blank line, list item, heading, quote or table row follows. */
const WRAP = /\n(?![ \t\r]{0,40}(?:\n|[-*+•][ \t]|\d{1,3}[.)][ \t]|[#|>]|$))/gu;
/** A full stop with its closing punctuation and the citations after it, or a line break. */
const END = new RegExp(
  String.raw`[.!?…]{1,6}["'”’)*_]{0,6}(?:[ \t]{0,3}${LIST}[.,;]?){0,8}(?=\s|$)|[。！？]{1,6}[」』）]{0,3}(?:[ \t]{0,3}${LIST}){0,8}|\n`,
  'gu',
);
/** Full stops after these do not end a sentence; nor does one after an initial. */
const ABBREVIATION = /(?:^|[\s("'])(?:e\.g|i\.e|vs|cf|approx|ca|[Ff]ig|incl|excl|esp|viz|dr|mr|mrs|ms|prof|[A-Z])\.$/u;
/** These end a sentence only before a capital letter. */
const UNIT = /(?:^|[\s(])(?:etc|min|max|sec|hr|hrs|req|resp|avg|a\.m|p\.m)\.$/iu;

/**
 * Splits text at full stops before white space, at blank lines and at list items. Technical sentences start with
 * lower-case names (`db was slow`), so unlike the Unicode rules it does not wait for a capital letter. Code is never
 * split, and a citation after a full stop belongs to the sentence before.
 * @returns spans that cover the text without gaps
 */
export function sentenceSpans(text: string): Span[] {
  const flat = hideCode(text).replaceAll(WRAP, ' ');
  const spans: Span[] = [];
  let start = 0;
  for (const match of flat.matchAll(END)) {
    const end = match.index + match[0].length;
    const upToStop = flat.slice(Math.max(start, match.index - 12), match.index + 1);
    if (ABBREVIATION.test(upToStop)) continue;
    if (UNIT.test(upToStop) && /^\s{0,3}[^\s\p{Lu}]/u.test(flat.slice(end, end + 20))) continue;
    spans.push({ start, end });
    start = end;
  }
  if (start < text.length) spans.push({ start, end: text.length });
  return spans;
}

/**
 * Blanks out code spans and fenced code, so that nothing in them is read as text.
 * @returns text of the same length with code replaced by `x`; line breaks stay
 */
export function hideCode(text: string): string {
  const runs = [...text.matchAll(/`+/gu)].map((run) => ({ start: run.index, length: run[0].length }));
  // A run of backticks is closed by the next run of the same length; looked up from the end in one pass.
  const nextOfLength = new Map<number, number>();
  const closedBy: (number | undefined)[] = [];
  for (let index = runs.length - 1; index >= 0; index--) {
    const { length } = runs[index]!;
    closedBy[index] = nextOfLength.get(length);
    nextOfLength.set(length, index);
  }
  const parts: string[] = [];
  let done = 0;
  for (let index = 0; index < runs.length; index++) {
    const { start, length } = runs[index]!;
    const closing = closedBy[index];
    const close = closing === undefined ? undefined : runs[closing];
    const fence = length >= 3 && opensLine(text, start);
    if (!close && !fence) continue;
    // An unclosed fence runs to the end.
    const end = close ? close.start + close.length : text.length;
    parts.push(text.slice(done, start), text.slice(start, end).replaceAll(/[^\n]/g, 'x'));
    done = end;
    index = closing ?? runs.length;
  }
  parts.push(text.slice(done));
  return parts.join('');
}

function opensLine(text: string, at: number): boolean {
  let index = at - 1;
  while (index >= 0 && at - index <= 8 && text[index] === ' ') index--;
  return index < 0 || text[index] === '\n';
}
