/** What is at a path. */
import type { DraftFiles } from './drafts/types.ts';
import { WorkspaceError, type WorkspaceFile } from './port.ts';

/** @returns undefined when nothing is there */
export async function fileIfThere(
  { workspace, at }: DraftFiles,
  path: string,
  signal?: AbortSignal,
): Promise<WorkspaceFile | undefined> {
  try {
    return await workspace.read(path, { at, signal });
  } catch (error) {
    if (error instanceof WorkspaceError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/**
 * The file itself, or all files of the directory.
 * @throws {WorkspaceError} `too_large` when there are more than `limit`
 */
export async function filesAt(
  { workspace, at }: DraftFiles,
  path: string,
  { limit, signal }: { limit: number; signal?: AbortSignal },
): Promise<string[]> {
  try {
    const { entries, truncated } = await workspace.list(path, { at, recursive: true, limit, signal });
    if (truncated)
      throw new WorkspaceError('too_large', `${path} has more than ${limit} files, too many to delete at once.`);
    return entries.map((entry) => entry.path);
  } catch (error) {
    if (error instanceof WorkspaceError && error.code === 'not_a_directory') return [path];
    throw error;
  }
}
