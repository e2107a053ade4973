import { execFileSync } from 'node:child_process';
import type { FakeRepository } from './state.ts';

const git = (gitDir: string, ...args: string[]): string =>
  execFileSync('git', [`--git-dir=${gitDir}`, ...args], { encoding: 'utf8', stdio: 'pipe' });

/** Takes the branches of the bare repository, and moves open requests with theirs, as a push does. */
export function followGit(repository: FakeRepository): void {
  const { gitDir, branches } = repository;
  if (gitDir === undefined) return;
  const lines = git(gitDir, 'for-each-ref', '--format=%(objectname) %(refname:strip=2)', 'refs/heads').split('\n');
  const found = new Map(lines.filter(Boolean).map((line) => [line.slice(line.indexOf(' ') + 1), line.split(' ')[0]!]));
  for (const name of branches.keys()) if (!found.has(name)) branches.delete(name);
  for (const [name, commit] of found)
    branches.set(name, { commit, isProtected: branches.get(name)?.isProtected ?? false });
  for (const pull of repository.pulls)
    if (pull.state === 'open') pull.headCommit = found.get(pull.head) ?? pull.headCommit;
}

/** A file at a branch or commit. */
export function fileOf({ gitDir, files }: FakeRepository, ref: string, path: string): string | undefined {
  if (gitDir === undefined) return files.get(`${ref}:${path}`);
  try {
    return git(gitDir, 'show', '--end-of-options', `${ref}:${path}`);
  } catch {
    return undefined;
  }
}

/** Merges a request into its base. @returns the new commit, or undefined without a bare repository */
export function mergeInGit({ gitDir }: FakeRepository, pull: { head: string; base: string }): string | undefined {
  if (gitDir === undefined) return undefined;
  const tree = git(gitDir, 'merge-tree', '--write-tree', pull.base, pull.head).trim();
  const who = ['-c', 'user.name=GitHub', '-c', 'user.email=noreply@github.example'];
  const message = `Merge ${pull.head}`;
  const commit = git(gitDir, ...who, 'commit-tree', tree, '-p', pull.base, '-p', pull.head, '-m', message).trim();
  git(gitDir, 'update-ref', `refs/heads/${pull.base}`, commit);
  return commit;
}
