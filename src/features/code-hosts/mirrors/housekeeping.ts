/** What a mirror costs, and what is collected from it: files of killed processes, many small packs, unreachable objects. */
import { readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitOptions, GitResult } from '../../../platform/git/index.ts';

/** A repository, as far as it is looked after. */
interface Repository {
  gitDir: string;
  git(args: readonly string[], options?: GitOptions): Promise<GitResult>;
}

/** Reads slow down with the number of packs, and each fetch makes one. */
const MAX_PACKS = 20;
const GC_EVERY_MS = 7 * 24 * 3_600_000;
export const GC_TIMEOUT_MS = 15 * 60_000;
const MARKER = 'casebook-collected';

/** Deleted branches and forced pushes stay readable for as long: runs cite commits. */
const PRUNE = '2.weeks.ago';

/** One core and little memory: a mirror can wait. */
const MODEST = {
  GIT_CONFIG_COUNT: '3',
  GIT_CONFIG_KEY_0: 'pack.threads',
  GIT_CONFIG_VALUE_0: '1',
  GIT_CONFIG_KEY_1: 'pack.windowMemory',
  GIT_CONFIG_VALUE_1: '64m',
  GIT_CONFIG_KEY_2: 'pack.deltaCacheSize',
  GIT_CONFIG_VALUE_2: '64m',
};

/**
 * Collects what is due. Harmless while others read, and after a kill at any point.
 * @param temporaryMs as `removeTemporary` has it
 */
export async function keepHouse(
  repository: Repository,
  { temporaryMs, now, signal }: { temporaryMs: number; now: number; signal?: AbortSignal },
): Promise<void> {
  await removeTemporary(repository.gitDir, temporaryMs);
  const work: GitOptions = { env: MODEST, timeoutMs: GC_TIMEOUT_MS, signal };
  // Speeds up history, blame and ancestry.
  await repository.git(['commit-graph', 'write', '--reachable', '--split', '--changed-paths', '--no-progress'], work);
  const marker = join(repository.gitDir, MARKER);
  const collectedAt = await stat(marker).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
  if (collectedAt === undefined) await writeFile(marker, '');
  else if (now - collectedAt > GC_EVERY_MS) {
    // First, so that a collection that cannot finish is not repeated with every fetch.
    await utimes(marker, new Date(now), new Date(now));
    await repository.git(['gc', '--quiet', `--prune=${PRUNE}`], work);
    return;
  }
  if ((await packsOf(repository.gitDir)).length > MAX_PACKS)
    await repository.git(['repack', '--quiet', '-d', '--geometric=2'], work);
}

async function packsOf(gitDir: string): Promise<string[]> {
  return (await entriesOf(join(gitDir, 'objects/pack'))).filter((name) => name.endsWith('.pack'));
}

/** Bytes of the repository's objects on disk, unfinished ones included. */
export async function sizeOf(gitDir: string): Promise<number> {
  const packs = join(gitDir, 'objects/pack');
  const sizes = await Promise.all((await entriesOf(packs)).map((name) => sizeOfFile(join(packs, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * What killed processes leave behind: half-written packs, which may be large, and the marks that keep a new pack until its
 * refs are written. A process that is alive may not touch its file for minutes, as while it resolves deltas.
 * @param temporaryMs age that no file of a live process reaches: longer than any of them may run
 */
export async function removeTemporary(gitDir: string, temporaryMs: number): Promise<void> {
  const folder = join(gitDir, 'objects/pack');
  for (const name of await entriesOf(folder)) {
    if (!/^\.?tmp[_-]|\.keep$/u.test(name)) continue;
    const path = join(folder, name);
    const seen = await stat(path).catch(() => undefined);
    if (seen && Date.now() - seen.mtimeMs >= temporaryMs) await rm(path, { force: true });
  }
}

/** What is locked in the repository: paths of lock files relative to it, without `.lock`. */
export async function locksOf(gitDir: string): Promise<string[]> {
  const refs = await readdir(join(gitDir, 'refs'), { recursive: true }).catch(() => []);
  const folders = ['', 'objects/info', 'objects/info/commit-graphs', 'objects/pack'];
  const others = await Promise.all(
    folders.map(async (folder) => (await entriesOf(join(gitDir, folder))).map((name) => join(folder, name))),
  );
  // The name of a ref itself never ends so.
  return [...refs.map((name) => join('refs', name)), ...others.flat()]
    .filter((name) => name.endsWith('.lock'))
    .map((name) => name.slice(0, -'.lock'.length));
}

const entriesOf = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

const sizeOfFile = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );
