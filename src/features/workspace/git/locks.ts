/**
 * Git marks a ref that it writes by a file `REF.lock`. A Git that was killed leaves it, and nobody could write the ref
 * again; so a lock that is older than any Git of ours may live is taken away.
 */
import { link, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * @param repository path of the repository
 * @param refs refs whose locks are looked at
 * @param staleMs age from which a lock counts as left behind
 */
export async function removeStaleLocks(repository: string, refs: readonly string[], staleMs: number): Promise<void> {
  // Made where the locks are: both times are by the clock of the same file system.
  const beside = await mkdtemp(join(repository, 'casebook-locks-'));
  try {
    const { mtimeMs: now } = await stat(beside);
    for (const ref of refs) {
      const lock = join(repository, `${ref}.lock`);
      const seen = await ifThere(stat(lock));
      if (seen === undefined || now - seen.mtimeMs < staleMs) continue;
      const aside = join(beside, 'lock');
      if ((await ifThere(rename(lock, aside).then(() => true))) === undefined) continue;
      // Another process may have been as far, and a new Git may have locked the ref in between: its lock goes back.
      if ((await stat(aside)).ino !== seen.ino) await link(aside, lock);
      await rm(aside);
    }
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

async function ifThere<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
