/** Reads the branch and the commits that keys made, and moves both. */
import { BRANCH, CHANGES, id, type Repository } from './repository.ts';
import { GitError, removeStaleLocks } from '../../../platform/git/index.ts';

/** The trailer of a commit message that names its key. */
export const TRAILER = 'Casebook-Change';
/** The trailer that tells requests with the same key apart. */
export const REQUEST_TRAILER = 'Casebook-Request';

const MOVED = /cannot lock ref '[^']+': (is at|reference already exists|unable to resolve reference)/u;
const LOCKED = /Unable to create '[^']+\.lock': File exists/u;

export async function headOf(repository: Repository, signal?: AbortSignal): Promise<string> {
  return id(await repository.git(['rev-parse', '--verify', '--quiet', BRANCH], { signal }));
}

/**
 * The commit made for a key, and the newest commit of the branch with its tree. Looks up the key first, so that a commit made in
 * between shows as a moved branch.
 */
export async function resolve(
  repository: Repository,
  key: string,
  signal?: AbortSignal,
): Promise<{ head: string; tree: string; made: string | undefined }> {
  const input = `${CHANGES}/${key}\n${BRANCH}\n${BRANCH}^{tree}\n`;
  const { stdout } = await repository.git(['cat-file', '--batch-check=%(objectname)'], { input, signal });
  const [made = '', head = '', tree = ''] = stdout.toString('latin1').split('\n');
  return { head, tree, made: /^[0-9a-f]{40}$/u.test(made) ? made : undefined };
}

/**
 * Searches the commits after `since` for a key. A Git that was killed between moving the branch and recording the key
 * leaves a commit that only this finds.
 */
export async function findInHistory(
  repository: Repository,
  key: string,
  { since, head, signal }: { since: string; head: string; signal?: AbortSignal },
): Promise<string | undefined> {
  const range = ['--max-count=1', `--grep=^${TRAILER}: ${key}$`, head, `^${since}`];
  return id(await repository.git(['rev-list', ...range], { signal })) || undefined;
}

/** {@link findInHistory} for the commits of the last day. */
export async function findRecent(
  repository: Repository,
  key: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const range = ['--max-count=1', '--since=1.day.ago', `--grep=^${TRAILER}: ${key}$`, BRANCH];
  return id(await repository.git(['rev-list', ...range], { signal })) || undefined;
}

/**
 * Moves the branch and records the key, both or neither; the branch first, so that a recorded key is always in it.
 * @returns `moved` when the branch is no longer at `head` or another process recorded the key; `locked` while another
 *   writes
 */
export async function moveBranch(
  repository: Repository,
  { head, commit, key, staleLockMs }: { head: string; commit: string; key: string; staleLockMs: number },
  signal?: AbortSignal,
): Promise<'done' | 'moved' | 'locked'> {
  const branch = commit === head ? `verify ${BRANCH} ${head}` : `update ${BRANCH} ${commit} ${head}`;
  const input = ['start', branch, `create ${CHANGES}/${key} ${commit}`, 'prepare', 'commit', ''].join('\n');
  try {
    await repository.git(['update-ref', '--stdin'], { input, signal });
    return 'done';
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (MOVED.test(error.stderr)) return 'moved';
    if (!LOCKED.test(error.stderr)) throw error;
    await removeStaleLocks(repository.path, ['HEAD', BRANCH, `${CHANGES}/${key}`], staleLockMs);
    return 'locked';
  }
}
