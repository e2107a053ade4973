/** Collects the garbage of a workspace, when there is enough of it. */
import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, ifThere, removeStaleLocks } from '../../../platform/git/index.ts';
import { CHANGES, type Repository } from './repository.ts';
import { removeOldViews } from './view.ts';

/** One collection may take this long, in ms. */
const TIMEOUT_MS = 60_000;
/** A workspace is collected at most this often, in ms: what is too young to be deleted would only be packed again. */
const EVERY_MS = 6 * 3_600_000;
/** Unpacked objects, and recorded changes, that make a collection worth its while. */
const MAX_LOOSE_OBJECTS = 1_000;
const MAX_LOOSE_CHANGES = 500;
/** Git spreads objects evenly over this many folders, so that one of them tells how many there are. */
const FOLDERS = 256;
/** An object that nothing refers to may belong to a commit or a draft that is being made. */
const KEPT = '2.weeks.ago';

export interface CollectOptions {
  now: Date;
  /** Age at which one of Git's locks counts as left by a killed process, ms. */
  staleLockMs: number;
  /** Collects even if there is little to do. */
  always?: boolean;
}

/**
 * Safe beside commits and reads in any process, and when it is killed. Git's own lock (`gc.pid`) keeps a second
 * collection away.
 * @returns whether it collected
 */
export async function collectGarbage(
  repository: Repository,
  { now, staleLockMs, always = false }: CollectOptions,
): Promise<boolean> {
  await removeOldViews(repository, now.getTime());
  const marker = join(repository.path, 'casebook', 'collected');
  if (!always && !(await isDue(repository, marker, now))) return false;
  // First: one that fails is not repeated at once.
  await mkdir(join(repository.path, 'casebook'), { recursive: true });
  await writeFile(marker, '');
  await utimes(marker, now, now);
  await removeStaleLocks(repository.path, ['packed-refs', 'gc.pid'], staleLockMs);
  try {
    await repository.git(['gc', '--quiet', `--prune=${KEPT}`], { timeoutMs: TIMEOUT_MS });
    return true;
  } catch (error) {
    if (error instanceof GitError && error.stderr.includes('gc is already running')) return false;
    throw error;
  }
}

async function isDue(repository: Repository, marker: string, now: Date): Promise<boolean> {
  const last = await ifThere(stat(marker));
  if (last && now.getTime() - last.mtimeMs < EVERY_MS) return false;
  const [objects, changes] = await Promise.all(
    [join('objects', '17'), CHANGES].map((folder) => ifThere(readdir(join(repository.path, folder)))),
  );
  return (objects?.length ?? 0) * FOLDERS > MAX_LOOSE_OBJECTS || (changes?.length ?? 0) > MAX_LOOSE_CHANGES;
}
