/** Prepares a text of the report: separates its citations and marks the unverified ones. */

/** Code blocks and spans, which are shown verbatim. */
const CODE = /(`{3,}[\s\S]*?(?:`{3,}|$)|`[^`\n]*`)/;
const MARKER = /\[(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\](?!\()/g;
const WIDEST_RANGE = 50;

/**
 * @param verified citations with an excerpt that was found in the evidence
 * @returns the text with `[1-3]` and `[1, 2]` split, and unverified ones marked
 */
export function markedText(text: string, verified: ReadonlySet<number>): string {
  const mark = (n: number): string => (verified.has(n) ? `[${n}]` : `[${n}] *(not verified)*`);
  return text
    .split(CODE)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replaceAll(MARKER, (_, list: string) => numbersOf(list).map(mark).join(' ')),
    )
    .join('');
}

/** The numbers of `1, 3-5`. */
function numbersOf(list: string): number[] {
  return list.split(/[,;]/).flatMap((part) => {
    const [first = 0, last = first] = part.split(/[–-]/).map(Number);
    if (last < first || last - first > WIDEST_RANGE) return [first, last];
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
