/** What each line of a unified diff is. Pure. */
export interface DiffLine {
  kind: 'added' | 'removed' | 'file' | 'hunk' | 'note' | 'same';
  text: string;
}

/** Lines that only Git needs. */
const NOISE = /^(?:index |--- |\+\+\+ |old mode |new mode |similarity index )/;

/** The lines of `git diff`, without those that say nothing to people. */
export function linesOf(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let isInHunk = false;
  for (const text of diff.replace(/\n$/, '').split('\n')) {
    if (text.startsWith('diff --git ')) {
      isInHunk = false;
      lines.push({ kind: 'file', text: / b\/(.*)$/.exec(text)?.[1] ?? text });
    } else if (text.startsWith('@@')) {
      isInHunk = true;
      lines.push({ kind: 'hunk', text });
    } else if (isInHunk) {
      const kind = text.startsWith('+') ? 'added' : text.startsWith('-') ? 'removed' : 'same';
      lines.push({ kind: text.startsWith('\\') ? 'note' : kind, text });
    } else if (text !== '' && !NOISE.test(text)) lines.push({ kind: 'note', text });
  }
  return lines;
}
