/** Reverts a commit without a checkout. */
import {
  COMMITTER,
  findEntries,
  identity,
  objectId,
  type ChangedPath,
  type GitRepository,
} from '../../workspace/index.ts';
import { GitError } from '../../../platform/git/index.ts';
import { ChangeRefused } from './refused.ts';

/** A commit, for people. */
export interface CommitFacts {
  commit: string;
  summary: string;
  author: string;
  /** ISO 8601. */
  at: string;
}

/**
 * The tree of `base` without what `commit` changed: a three-way merge whose common ancestor is the commit, and whose
 * other side is its first parent.
 * @param commit an id of 7 to 40 digits
 * @throws {ChangeRefused} when it is unknown, not part of `base`, or in conflict with what came after it
 */
export async function revertedTree(
  repository: GitRepository,
  base: string,
  commit: string,
  signal?: AbortSignal,
): Promise<{ tree: string; reverted: CommitFacts }> {
  const reverted = await factsOf(repository, commit, signal);
  const { code } = await repository.git(['merge-base', '--is-ancestor', reverted.commit, base], {
    accept: [1],
    signal,
  });
  if (code !== 0) throw refused(`${short(reverted)} is not in the history of the base branch.`);
  const parent = await treeOf(repository, `${reverted.commit}^1`, signal);
  if (parent === undefined) throw refused(`${short(reverted)} is the first commit: there is nothing before it.`);
  const { stdout, code: outcome } = await mergeTree(repository, { base, parent, commit: reverted.commit }, signal);
  const [tree = '', ...rest] = stdout.toString('utf8').split('\0');
  if (outcome === 0) return { tree, reverted };
  // Conflicting files come first, up to an empty field; messages follow.
  const paths = rest.slice(0, rest.indexOf(''));
  const problem = `${short(reverted)} cannot be reverted here: later commits changed the same lines. Propose edits instead.`;
  throw new ChangeRefused(paths.map((path) => ({ path, problem })));
}

/**
 * Git 2.38 merges commits only, and finds their ancestor itself: so the three trees become commits, in that relation.
 */
async function mergeTree(
  repository: GitRepository,
  { base, parent, commit }: { base: string; parent: string; commit: string },
  signal?: AbortSignal,
) {
  const env = identity(COMMITTER, new Date(0));
  const commitOf = async (tree: string, ancestor?: string): Promise<string> => {
    const onto = ancestor === undefined ? [] : ['-p', ancestor];
    return objectId(await repository.git(['commit-tree', tree, ...onto], { input: 'merge\n', env, signal }));
  };
  const ancestor = await commitOf(`${commit}^{tree}`);
  const ours = await commitOf(`${base}^{tree}`, ancestor);
  const theirs = await commitOf(parent, ancestor);
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs];
  return repository.git(args, { accept: [1], signal });
}

async function factsOf(repository: GitRepository, commit: string, signal?: AbortSignal): Promise<CommitFacts> {
  const args = [
    'log',
    '-1',
    '--no-show-signature',
    '--format=%H%x00%s%x00%an%x00%cI',
    '--end-of-options',
    commit,
    '--',
  ];
  try {
    const { stdout } = await repository.git(args, { signal });
    const [id = '', summary = '', author = '', at = ''] = stdout.toString('utf8').trimEnd().split('\0');
    return { commit: id, summary: summary.slice(0, 200), author: author.slice(0, 100), at };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const why = /ambiguous/iu.test(error.stderr) ? 'is ambiguous: give all 40 digits' : 'is not in the repository';
    throw refused(`The commit ${commit} ${why}.`);
  }
}

async function treeOf(repository: GitRepository, revision: string, signal?: AbortSignal): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{tree}`];
  const { code, stdout } = await repository.git(args, { accept: [1], signal });
  return code === 0 ? stdout.toString('latin1').trim().split('\n').at(-1) : undefined;
}

/** @throws {ChangeRefused} when a change touches what cannot be proposed */
export async function refuseLinks(
  repository: GitRepository,
  revisions: readonly string[],
  files: readonly ChangedPath[],
  signal?: AbortSignal,
): Promise<void> {
  const problems = new Map<string, string>();
  for (const revision of revisions) {
    const paths = files.map(({ path }) => path);
    for (const { path, type } of (await findEntries(repository, revision, paths, signal)).values())
      if (type === 'link' || type === 'submodule') problems.set(path, `It is a ${type}, which cannot be changed.`);
  }
  if (problems.size > 0) throw new ChangeRefused([...problems].map(([path, problem]) => ({ path, problem })));
}

const refused = (problem: string): ChangeRefused => new ChangeRefused([{ problem }]);

const short = ({ commit, summary }: CommitFacts): string => `${commit.slice(0, 10)} (${summary})`;
