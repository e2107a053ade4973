import { lstat, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';

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

/** The size of all files in a folder and below, in bytes; what disappears meanwhile counts as nothing. */
export async function sizeOf(folder: string): Promise<number> {
  let size = 0;
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const within = next;
    const entries = await readdir(within, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) if (entry.isDirectory()) folders.push(join(within, entry.name));
    const files = entries.filter((entry) => entry.isFile()).map(({ name }) => lstat(join(within, name)));
    for (const file of await Promise.allSettled(files)) if (file.status === 'fulfilled') size += file.value.size;
  }
  return size;
}
