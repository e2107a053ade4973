/** One commit of a batch of changes: optimistic, on the newest state, at most once per key. */
import { setTimeout as sleep } from 'node:timers/promises';
import { writablePath } from '../path.ts';
import { WorkspaceConflict, WorkspaceError, type CommitInput, type CommitResult } from '../port.ts';
import { changedPaths } from './diff.ts';
import { findEntries } from './entries.ts';
import { findInHistory, findRecent, moveBranch, REQUEST_TRAILER, resolve, TRAILER } from './refs.ts';
import { id, identity, type Repository } from './repository.ts';
import { writeObjects, writeTree, type ObjectChange } from './tree.ts';

/** Maximum wait for the commits of others. */
const PATIENCE_MS = 45_000;
const MAX_MESSAGE = 10_000;
const OWN_LINE = new RegExp(`^(?:${TRAILER}|${REQUEST_TRAILER})`, 'iu');
const KEY = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/u;

/**
 * @param options.staleLockMs age at which one of Git's locks counts as left by a killed process
 * @throws {WorkspaceConflict} when others changed one of the paths since `base`; {@link WorkspaceError} `busy` when the
 *   branch could not be moved in time
 */
export async function commitChanges(
  repository: Repository,
  input: CommitInput,
  options: { staleLockMs: number; signal?: AbortSignal },
): Promise<CommitResult> {
  const { signal, staleLockMs } = options;
  const { base, key, author, date } = input;
  checkKey(key);
  for (const { path } of input.changes) writablePath(path);
  const message = changeMessage(input);
  let changes: ObjectChange[] | undefined;
  let searched = base;
  const end = performance.now() + PATIENCE_MS;
  do {
    const { head, tree: before, made } = await resolve(repository, key, signal);
    if (made !== undefined) return resultOf(repository, made, key, signal);
    if (head !== searched) {
      const found = await findInHistory(repository, key, { since: searched, head, signal });
      if (found !== undefined) return resultOf(repository, found, key, signal);
      searched = head;
    }
    changes ??= await writeObjects(repository, input.changes, signal);
    if (head !== base) await refuseConflicts(repository, { base, head, changes }, signal);
    const tree = await writeTree(repository, head, changes, signal);
    const env = identity(plainIdentity(author), date);
    const commit =
      tree === before
        ? head
        : id(await repository.git(['commit-tree', tree, '-p', head], { input: message, env, signal }));
    const outcome = await moveBranch(repository, { head, commit, key, staleLockMs }, signal);
    if (outcome === 'done')
      return { commit, paths: commit === head ? [] : await changedPaths(repository, head, commit, signal) };
    await sleep(outcome === 'locked' ? 100 + Math.random() * 100 : Math.random() * 30, undefined, { signal });
  } while (performance.now() < end);
  throw new WorkspaceError('busy', 'Others are changing the workspace; try again');
}

/** Paths that others changed since `base`, except those that already have this batch's result. */
async function refuseConflicts(
  repository: Repository,
  { base, head, changes }: { base: string; head: string; changes: readonly ObjectChange[] },
  signal?: AbortSignal,
): Promise<void> {
  const touched = (await changedPaths(repository, base, head, signal)).map(({ path }) => path);
  const others = new Set(touched);
  // A file in place of one of our directories, or vice versa, conflicts as well.
  const near = (path: string): boolean =>
    others.has(path) || touched.some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
  const disputed = changes.filter(({ path }) => near(path));
  if (disputed.length === 0) return;
  const paths = disputed.map(({ path }) => path);
  const there = await findEntries(repository, head, paths, signal);
  const conflicts = disputed.filter(({ path, object }) => (there.get(path)?.object ?? null) !== object);
  if (conflicts.length > 0) throw new WorkspaceConflict(conflicts.map(({ path }) => path));
}

function checkKey(key: string): void {
  if (!KEY.test(key)) throw new TypeError(`${JSON.stringify(key)} is not a valid change key`);
}

/** The commit that was made for a key within the last day. */
export async function commitOf(
  repository: Repository,
  key: string,
  signal?: AbortSignal,
): Promise<CommitResult | undefined> {
  checkKey(key);
  const commit = (await resolve(repository, key, signal)).made ?? (await findRecent(repository, key, signal));
  return commit === undefined ? undefined : resultOf(repository, commit, key, signal);
}

/**
 * The changes of a commit, if it was made for the key: a key without effective changes points to somebody else's
 * commit.
 */
async function resultOf(
  repository: Repository,
  commit: string,
  key: string,
  signal?: AbortSignal,
): Promise<CommitResult> {
  const { stdout } = await repository.git(['cat-file', 'commit', commit], { signal });
  const text = stdout.toString('utf8');
  const parent = /^parent ([0-9a-f]{40})$/mu.exec(text)?.[1];
  const own = text.split('\n').includes(`${TRAILER}: ${key}`);
  if (!own || parent === undefined) return { commit, paths: [] };
  const request = new RegExp(`^${REQUEST_TRAILER}: (.+)$`, 'mu').exec(text)?.[1];
  return { commit, paths: await changedPaths(repository, parent, commit, signal), request };
}

/** The message with its trailers; a line that looks like one of ours is indented, as it would name another change. */
export function changeMessage({ message, key, request }: Pick<CommitInput, 'message' | 'key' | 'request'>): string {
  const lines = message
    .replaceAll('\0', '')
    .toWellFormed()
    .slice(0, MAX_MESSAGE)
    .trim()
    .split(/\r\n|[\r\n]/u)
    .map((line) => (OWN_LINE.test(line) ? `> ${line}` : line));
  if (lines.join('') === '') throw new TypeError('A commit needs a message');
  // Git reads trailers only from the last paragraph, so the caller's and ours share it.
  const last = lines.slice(lines.lastIndexOf('') + 1);
  const hasTrailers = last.length < lines.length && last.every((line) => /^[A-Za-z][A-Za-z0-9-]*: \S/u.test(line));
  const ours = [`${TRAILER}: ${key}`, ...(request === undefined ? [] : [`${REQUEST_TRAILER}: ${request}`])];
  return [...lines, ...(hasTrailers ? [] : ['']), ...ours, ''].join('\n');
}

/** Git allows neither line breaks nor angle brackets in a name, and no empty one. */
function plainIdentity({ name, email }: CommitInput['author']): CommitInput['author'] {
  const plain = (text: string): string =>
    text
      .toWellFormed()
      .replaceAll(/[\s\p{Cc}<>]+/gu, ' ')
      .trim()
      .slice(0, 200);
  return { name: plain(name) || 'Unknown', email: plain(email) || 'unknown@casebook.invalid' };
}
