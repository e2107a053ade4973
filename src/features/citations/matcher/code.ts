/** Code within Markdown. */

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
