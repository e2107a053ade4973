/**
 * While it writes a ref, Git holds a lock file `REF.lock`. A killed Git leaves it behind, and nobody could write the
 * ref again; so a lock that is older than any of our Git processes can live is removed.
 */
import { link, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * @param repository path of the repository
 * @param refs refs whose locks are examined
 * @param staleMs age at which a lock counts as left behind
 */
export async function removeStaleLocks(repository: string, refs: readonly string[], staleMs: number): Promise<void> {
  // Created beside the locks: both times come from the same file system's clock.
  const beside = await mkdtemp(join(repository, 'casebook-locks-'));
  try {
    const { mtimeMs: now } = await stat(beside);
    for (const ref of refs) {
      const lock = join(repository, `${ref}.lock`);
      const seen = await ifThere(stat(lock));
      if (seen === undefined || now - seen.mtimeMs < staleMs) continue;
      const aside = join(beside, 'lock');
      if ((await ifThere(rename(lock, aside).then(() => true))) === undefined) continue;
      // Another process may have done the same, and a new Git may have locked the ref in between: its lock is restored.
      if ((await stat(aside)).ino !== seen.ino) await link(aside, lock);
      await rm(aside);
    }
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

/** The result; undefined when the file is missing. */
export async function ifThere<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
