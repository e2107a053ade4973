/** The files of one recorded incident. The format is documented in demo/incidents/README.md. */
import { constants } from 'node:fs';
import { lstat, open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { QueryError } from '../connector.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const MAX_FILE_BYTES = 128 * 1_048_576;

/** The incidents of a directory, by name. Symbolic links are none. */
export async function incidentsIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && NAME.test(entry.name))
    .map(({ name }) => name)
    .sort();
}

/** @throws {QueryError} `not_found`, naming those there are */
export async function folderOf(directory: string, incident: string): Promise<string> {
  const incidents = await incidentsIn(directory);
  if (incidents.includes(incident)) return join(directory, incident);
  throw new QueryError('not_found', `there is no incident "${incident}"; there are: ${incidents.join(', ') || 'none'}`);
}

/**
 * Opens a file for reading, if it is a regular one and no symbolic link.
 * @returns undefined when there is no such file
 */
export async function openFile(folder: string, name: string): Promise<FileHandle | undefined> {
  if (!(await lstat(folder)).isDirectory()) throw new QueryError('failed', 'the incident is not a folder any more');
  let file: FileHandle;
  try {
    // Non-blocking: opening a named pipe must not hang.
    file = await open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (code === 'ENOENT') return undefined;
    throw new QueryError('failed', `${name} cannot be read (${code})`, { cause: error });
  }
  const stats = await file.stat();
  if (stats.isFile() && stats.size <= MAX_FILE_BYTES) return file;
  await file.close();
  throw new QueryError('failed', stats.isFile() ? `${name} is larger than 128 MiB` : `${name} is not a regular file`);
}

/** @returns undefined when there is no such file */
export async function readText(folder: string, name: string, signal: AbortSignal): Promise<string | undefined> {
  signal.throwIfAborted();
  const file = await openFile(folder, name);
  if (!file) return undefined;
  try {
    return await file.readFile({ encoding: 'utf8', signal });
  } finally {
    await file.close();
  }
}

/**
 * @returns undefined when there is no such file
 * @throws {QueryError} naming the file and what is wrong in it
 */
export async function readJson<T>(
  folder: string,
  name: string,
  schema: z.ZodType<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  const text = await readText(folder, name, signal);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new QueryError('failed', `${name} is not JSON`, { cause: error });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new QueryError('failed', `${name}: ${issues.join('; ')}`);
}
