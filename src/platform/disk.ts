import { statfs } from 'node:fs/promises';

/** Less counts as full: with no space at all, databases and Git fail in ways of their own. */
const MIN_FREE_BYTES = 16 * 1_048_576;

/**
 * @param folders a missing one stores nothing yet and is skipped
 * @throws when the disk of any of them is full
 */
export async function assertDiskSpace(folders: readonly string[], minFreeBytes = MIN_FREE_BYTES): Promise<void> {
  for (const folder of folders) {
    const disk = await statfs(folder).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (disk && disk.bavail * disk.bsize < minFreeBytes)
      throw Object.assign(new Error(`The disk of ${folder} is full.`), { code: 'disk_full' });
  }
}
