/**
 * The workspace with its mirrors, as one Git tree. A view is a folder of objects beside the workspace's own: it borrows
 * the objects of the workspace and of the mirrors (Git's alternates), and has the trees that join them. The workspace's
 * repository itself borrows nothing, because Git would then not store what a mirror already has, and a mirror may be
 * deleted at any time. A view is named by what it shows and never changes; everything in it can be made again.
 */
import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { directoryPath, isMirrored } from '../path.ts';
import { MIRRORS } from '../port.ts';
import { GitError, ifThere } from '../../../platform/git/index.ts';
import { mountsOf, type Mounted } from './mounts.ts';
import { id, type Repository } from './repository.ts';

/** A view in use is marked as such at this interval, in ms. */
const MARK_EVERY_MS = 3_600_000;
/** A view that was not used for this long is deleted, in ms. */
export const VIEW_KEPT_MS = 24 * MARK_EVERY_MS;
const MAX_ROOTS = 1_000;
const DIRECTORY = '040000';

/** Something to read: a revision of a repository. */
export interface Readable {
  repository: Repository;
  at: string;
}

interface View {
  repository: Repository;
  /** The tree of the folder `repos`. */
  repos: string;
  /** A tree with nothing but `repos`. */
  only: string;
  /** Of this folder: a deleted view that was made again has another. */
  name: string;
}

const folderOf = (repository: Repository): string => join(repository.path, 'casebook', 'views');

/** Trees with the workspace's own files and its mirrors, by view and revision. */
const roots = new LRUCache<string, string>({ max: MAX_ROOTS });

/**
 * Reads a path at a revision, with the mirrors that are in it.
 * @param work reads at the revision it gets, which may differ from the given one
 */
export async function throughView<T>(
  repository: Repository,
  { at, path, signal }: { at: string; path: string; signal?: AbortSignal },
  work: (readable: Readable) => Promise<T>,
): Promise<T> {
  const clean = directoryPath(path);
  if (clean !== '' && !isMirrored(clean)) return work({ repository, at });
  const shown = await shownIn(repository, clean);
  if (shown.length === 0) return work({ repository, at });
  try {
    return await work(await readableAt(repository, shown, { at, path: clean, signal }));
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    // A mirror may have been deleted meanwhile, or may be incomplete.
    const whole = await withTrees(repository, await shownIn(repository, clean), signal);
    if (keyOf(whole) === keyOf(shown)) throw error;
    return work(
      whole.length === 0 ? { repository, at } : await readableAt(repository, whole, { at, path: clean, signal }),
    );
  }
}

/** The mounts at, above or below a path whose folders exist. */
async function shownIn(repository: Repository, path: string): Promise<Mounted[]> {
  const related = (await mountsOf(repository)).filter(
    (mount) => path === '' || `${mount.path}/`.startsWith(`${path}/`) || path.startsWith(`${mount.path}/`),
  );
  const there = await Promise.all(related.map(({ objects }) => exists(objects)));
  return related.filter((_, index) => there[index]);
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Those whose tree can be read. */
async function withTrees(repository: Repository, mounts: readonly Mounted[], signal?: AbortSignal): Promise<Mounted[]> {
  const found = await Promise.all(
    mounts.map(({ tree, objects }) =>
      repository
        .git(['cat-file', '-e', tree], { env: { GIT_OBJECT_DIRECTORY: objects }, accept: [1, 128], signal })
        .then(({ code }) => code === 0),
    ),
  );
  return mounts.filter((_, index) => found[index]);
}

async function readableAt(
  repository: Repository,
  shown: readonly Mounted[],
  { at, path, signal }: { at: string; path: string; signal?: AbortSignal },
): Promise<Readable> {
  const view = await viewOf(repository, shown, signal);
  if (path !== '') return { repository: view.repository, at: view.only };
  const key = `${view.name} ${at}`;
  const root = roots.get(key) ?? (await rootOf(view, at, signal));
  roots.set(key, root);
  return { repository: view.repository, at: root };
}

/** The root of a revision, with the mirrors in place of a folder `repos` of its own. */
async function rootOf({ repository, repos }: View, at: string, signal?: AbortSignal): Promise<string> {
  const { stdout } = await repository.git(['ls-tree', '-z', at], { signal });
  const own = stdout
    .toString('latin1')
    .split('\0')
    .filter((entry) => entry !== '' && !entry.endsWith(`\t${MIRRORS}`));
  return makeTree(repository, [...own, entryOf(repos, MIRRORS)], signal);
}

async function viewOf(repository: Repository, shown: readonly Mounted[], signal?: AbortSignal): Promise<View> {
  const folder = folderOf(repository);
  const directory = join(folder, keyOf(shown));
  const file = join(directory, 'view.json');
  const made = await ifThere(readFile(file, 'utf8'));
  if (made !== undefined) {
    await mark(file);
    const description: Omit<View, 'repository'> = JSON.parse(made);
    return { repository: viewing(repository, directory), ...description };
  }
  const beside = join(folder, `new-${randomUUID()}`);
  await mkdir(join(beside, 'info'), { recursive: true });
  try {
    const borrowed = [join(repository.path, 'objects'), ...shown.map(({ objects }) => objects)];
    await writeFile(join(beside, 'info', 'alternates'), borrowed.map((path) => `${path}\n`).join(''), { flush: true });
    const inside = viewing(repository, beside);
    const repos = await folderTree(
      inside,
      shown.map(({ path, tree }) => ({ names: path.split('/').slice(1), tree })),
      signal,
    );
    const only = await makeTree(inside, [entryOf(repos, MIRRORS)], signal);
    const description = { repos, only, name: randomUUID() };
    await writeFile(join(beside, 'view.json'), JSON.stringify(description), { flush: true });
    await rename(beside, directory);
    return { repository: viewing(repository, directory), ...description };
  } catch (error) {
    await rm(beside, { recursive: true, force: true });
    // Another call was first.
    if (await exists(file)) return viewOf(repository, shown, signal);
    throw error;
  }
}

/** A view in use must not be deleted. */
async function mark(file: string): Promise<void> {
  const seen = await ifThere(stat(file));
  const now = new Date();
  if (seen && now.getTime() - seen.mtimeMs > MARK_EVERY_MS) await ifThere(utimes(file, now, now));
}

/** The repository with the objects of a view. */
const viewing = (repository: Repository, directory: string): Repository => ({
  path: repository.path,
  git: (args, options) =>
    repository.git(args, { ...options, env: { ...options?.env, GIT_OBJECT_DIRECTORY: directory } }),
});

const keyOf = (mounts: readonly Mounted[]): string =>
  createHash('sha256')
    .update(JSON.stringify(mounts.map(({ path, objects, tree }) => [path, objects, tree])))
    .digest('hex')
    .slice(0, 40);

interface Leaf {
  /** From the folder that is being made. */
  names: string[];
  tree: string;
}

async function folderTree(repository: Repository, leaves: readonly Leaf[], signal?: AbortSignal): Promise<string> {
  const byName = Map.groupBy(leaves, ({ names }) => names[0] ?? '');
  const entries = await Promise.all(
    [...byName].map(async ([name, inside]) => {
      const below = inside.map(({ names, tree }) => ({ names: names.slice(1), tree }));
      const [leaf] = below;
      return entryOf(leaf && leaf.names.length === 0 ? leaf.tree : await folderTree(repository, below, signal), name);
    }),
  );
  return makeTree(repository, entries, signal);
}

/** In the form of `git ls-tree`, one byte for each character. */
const entryOf = (tree: string, name: string): string =>
  `${DIRECTORY} tree ${tree}\t${Buffer.from(name).toString('latin1')}`;

/** @throws {GitError} when an object is missing */
async function makeTree(repository: Repository, entries: readonly string[], signal?: AbortSignal): Promise<string> {
  const input = Buffer.from(entries.map((entry) => `${entry}\0`).join(''), 'latin1');
  return id(await repository.git(['mktree', '-z'], { input, signal }));
}

/** Deletes views that are no longer used, and what killed processes left of unfinished ones. */
export async function removeOldViews(repository: Repository, now: number): Promise<void> {
  const folder = folderOf(repository);
  for (const name of (await ifThere(readdir(folder))) ?? []) {
    const directory = join(folder, name);
    const used = (await ifThere(stat(join(directory, 'view.json')))) ?? (await ifThere(stat(directory)));
    if (used && now - used.mtimeMs > VIEW_KEPT_MS) await rm(directory, { recursive: true, force: true });
  }
}
