/** A text from which what was understood is taken out, piece by piece. */

export interface Passage {
  text: string;
}

/** Takes the first match out; what is left in its place separates words. */
export function take(passage: Passage, pattern: RegExp): RegExpExecArray | undefined {
  const found = pattern.exec(passage.text) ?? undefined;
  if (found) cut(passage, found.index, found[0].length);
  return found;
}

/** Takes all matches out, at most so many. */
export function takeAll(passage: Passage, pattern: RegExp, most = 10): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  while (found.length < most) {
    const next = take(passage, pattern);
    if (!next) break;
    found.push(next);
  }
  return found;
}

function cut(passage: Passage, at: number, length: number): void {
  passage.text = `${passage.text.slice(0, at)} ${passage.text.slice(at + length)}`;
}
