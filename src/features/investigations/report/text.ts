/** A report's text as sentences and the citations in them. */

const CODE = /(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/gu;
const LIST = String.raw`\[(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\]`;
const MARKER = new RegExp(LIST, 'gu');
/** Line breaks that end no sentence: neither a blank line nor a list item, heading, quote or table row follows. */
const WRAP = /\n(?!\s*(?:\n|[-*+]\s|\d{1,3}[.)]\s|[#|>]|$))/gu;
/** A full stop and what closes with it, then citations that stand after it; or a line break. */
const END = new RegExp(
  String.raw`[.!?…]+["'”’)*_]*(?:[ \t]*${LIST}[.,;]?)*(?=\s|$)|[。！？]+[」』）]*(?:[ \t]*${LIST})*|\n`,
  'gu',
);
/** Full stops after these end no sentence; nor does one after an initial. */
const ABBREVIATION = /(?:^|[\s("'])(?:e\.g|i\.e|vs|cf|approx|ca|[Ff]ig|incl|excl|esp|viz|dr|mr|mrs|ms|prof|[A-Z])\.$/u;
/** These end a sentence only where a capital letter follows. */
const UNIT = /(?:^|[\s(])(?:etc|min|max|sec|hr|hrs|req|resp|avg|a\.m|p\.m)\.$/iu;
const WIDEST_RANGE = 50;

/**
 * Splits text into sentences: at full stops before white space, at blank lines and at list items. Technical text begins
 * sentences with lower-case names (`db was slow`), so a capital letter is not waited for, as the rules of Unicode
 * would. Code is never split, and a citation after a full stop belongs to the sentence before it.
 * @returns trimmed sentences, without those that have no letter
 */
export function sentencesOf(text: string): string[] {
  const flat = hideCode(text).replaceAll(WRAP, ' ');
  const sentences: string[] = [];
  let start = 0;
  for (const match of flat.matchAll(END)) {
    const end = match.index + match[0].length;
    const upToStop = flat.slice(Math.max(start, match.index - 12), match.index + 1);
    if (ABBREVIATION.test(upToStop)) continue;
    if (UNIT.test(upToStop) && /^\s*[^\s\p{Lu}]/u.test(flat.slice(end, end + 20))) continue;
    sentences.push(text.slice(start, end));
    start = end;
  }
  sentences.push(text.slice(start));
  return sentences.map((sentence) => sentence.trim()).filter((sentence) => /\p{L}/u.test(sentence));
}

/** @returns the numbers cited as `[n]`, `[n, m]` or `[n-m]`, in order, each once; code is not looked at */
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

function hideCode(text: string): string {
  return text.replaceAll(CODE, (code) => 'x'.repeat(code.length));
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
