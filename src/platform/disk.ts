import { statfs } from 'node:fs/promises';

/** Less is called full: databases and Git fail in their own ways when nothing at all is left. */
const MIN_FREE_BYTES = 16 * 1_048_576;

/**
 * @param folders where they are missing, nothing is stored yet
 * @throws when the disk of one of them is full
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
