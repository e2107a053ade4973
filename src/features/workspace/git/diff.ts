/** The differences between two revisions. */
import type { ChangedPath, WorkspaceDiff } from '../port.ts';
import type { Repository } from './repository.ts';

const PATCH_BYTES = 16 * 1_048_576;
/** Limit of all diffs together. */
const PATCH_CHARACTERS = 200_000;

const KINDS: Record<string, ChangedPath['change']> = { A: 'added', D: 'deleted' };
const COMPARE = ['diff-tree', '-r', '--no-renames', '--no-ext-diff', '--no-textconv'];

/** Paths that differ, in Git's order, with their line counts. */
export async function changedPaths(
  repository: Repository,
  from: string,
  to: string,
  signal?: AbortSignal,
): Promise<ChangedPath[]> {
  const args = [...COMPARE, '-z', '--raw', '--numstat', from, to];
  const { stdout } = await repository.git(args, { signal });
  const fields = stdout.toString('utf8').split('\0');
  const changes = new Map<string, ChangedPath['change']>();
  const counts = new Map<string, [number, number]>();
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] ?? '';
    if (field.startsWith(':')) {
      at += 1;
      changes.set(fields[at] ?? '', KINDS[field.at(-1) ?? ''] ?? 'modified');
    } else if (field !== '') {
      // `-` means not text.
      const [added = '', removed = '', ...path] = field.split('\t');
      counts.set(path.join('\t'), [Number(added) || 0, Number(removed) || 0]);
    }
  }
  return [...changes].map(([path, change]) => {
    const [additions, deletions] = counts.get(path) ?? [0, 0];
    return { path, change, additions, deletions };
  });
}

/** {@link changedPaths} with a unified diff for each, up to 200,000 characters in total. */
export async function diffOf(
  repository: Repository,
  from: string,
  to: string,
  signal?: AbortSignal,
): Promise<WorkspaceDiff> {
  const changed = await changedPaths(repository, from, to, signal);
  if (changed.length === 0) return { files: [], truncated: false };
  const format = ['-p', '--no-color', '--src-prefix=a/', '--dst-prefix=b/', '--unified=3'];
  const { stdout, cut } = await repository.git([...COMPARE, ...format, from, to], {
    maxBytes: PATCH_BYTES,
    cut: true,
    signal,
  });
  // PostgreSQL cannot store NUL, and Git treats a file as text if NUL comes late in it. Lines of a file begin with a
  // sign or a space, so this can only match a heading.
  const patches = stdout
    .toString('utf8')
    .replaceAll('\0', '\ufffd')
    .split(/^(?=diff --git )/mu);
  let room = PATCH_CHARACTERS;
  let truncated = cut;
  const files = changed.map((path, index) => {
    const patch = patches[index] ?? '';
    const diff = patch.length <= room ? patch : patch.slice(0, patch.lastIndexOf('\n', room) + 1);
    truncated ||= diff.length < patch.length;
    room -= diff.length;
    return { ...path, diff };
  });
  return { files, truncated };
}
