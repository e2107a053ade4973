/** What each line of a unified diff is. Pure. */
export interface DiffLine {
  kind: 'added' | 'removed' | 'file' | 'hunk' | 'note' | 'same';
  text: string;
}

/** Lines that only Git needs. */
const NOISE = /^(?:index |--- |\+\+\+ |old mode |new mode |similarity index )/;

/** `a/NAME b/NAME`: without renames, both names are the same, whatever they contain. */
const fileOf = (names: string): string => names.slice((names.length + 1) / 2).replace(/^b\//, '');

/** The lines of `git diff`, without those that say nothing to people. */
export function linesOf(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let isInHunk = false;
  for (const text of diff.replace(/\n$/, '').split('\n')) {
    if (text.startsWith('diff --git ')) {
      isInHunk = false;
      lines.push({ kind: 'file', text: fileOf(text.slice('diff --git '.length)) });
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
