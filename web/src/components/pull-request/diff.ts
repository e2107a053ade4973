/** Reads a unified diff as Git writes it. */

export interface DiffLine {
  kind: 'added' | 'removed' | 'same' | 'place';
  /** With its sign; a place is the heading of a hunk, or says what is not shown. */
  text: string;
}

const KINDS: Record<string, DiffLine['kind']> = { '+': 'added', '-': 'removed', '@': 'place', '\\': 'place' };

/** @returns the lines of each file, in the order of the files */
export function linesByFile(diff: string): DiffLine[][] {
  // Lines of a file begin with a sign or a space, so only a heading matches.
  return diff
    .split(/^(?=diff --git )/mu)
    .filter((part) => part.startsWith('diff --git '))
    .map(linesOf);
}

function linesOf(part: string): DiffLine[] {
  const all = part.replace(/\n$/u, '').split('\n');
  const first = all.findIndex((line) => line.startsWith('@@ '));
  if (first >= 0) return all.slice(first).map((text) => ({ kind: KINDS[text[0] ?? ''] ?? 'same', text }));
  const binary = all.filter((line) => line.startsWith('Binary files '));
  return binary.map((text) => ({ kind: 'place', text }));
}
