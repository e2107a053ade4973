import { constants } from 'node:fs';
import { lstat, open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { QueryError } from '../connector.ts';

/** JSON files of an incident are read whole; larger ones are a mistake. */
const MAX_JSON_BYTES = 8 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

const INCIDENT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/u;

/** The incidents in a directory, by name. Symbolic links are ignored: they could lead out of it. */
export async function incidentsIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && INCIDENT_NAME.test(entry.name))
    .map(({ name }) => name)
    .sort();
}

/** @throws {QueryError} `not_found`, listing the existing ones */
export async function folderOf(directory: string, incident: string): Promise<string> {
  const incidents = await incidentsIn(directory);
  if (incidents.includes(incident)) return join(directory, incident);
  throw new QueryError('not_found', `there is no incident "${incident}"; there are: ${incidents.join(', ') || 'none'}`);
}

/**
 * Opens a file of an incident's folder for reading. This is the only way the recorded source touches file contents: it
 * refuses symbolic links (of the file or the folder) and anything but regular files, so that nothing outside the folder
 * can be reached.
 * @param name a file name without a path
 * @returns undefined when the file does not exist
 */
export async function openIncidentFile(folder: string, name: string): Promise<FileHandle | undefined> {
  if (name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name)) {
    throw new QueryError('failed', `"${name}" is not the name of a file in an incident folder`);
  }
  const stats = await lstat(folder).catch(() => undefined);
  if (!stats?.isDirectory()) throw new QueryError('failed', 'the incident folder is gone or is not a folder');
  let file: FileHandle;
  try {
    // Non-blocking: opening a named pipe must not hang.
    file = await open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP' || code === 'EMLINK') {
      throw new QueryError('failed', `${name}: symbolic links are not read`, { cause: error });
    }
    throw new QueryError('failed', `${name}: cannot be opened (${code})`, { cause: error });
  }
  if (!(await file.stat()).isFile()) {
    await file.close();
    throw new QueryError('failed', `${name}: not a regular file`);
  }
  return file;
}

/**
 * The bytes of an open file, in chunks, until its end or until the signal fires. Does not use a stream: aborting a
 * stream without listeners ends the process.
 */
export async function* readChunks(file: FileHandle, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (;;) {
    signal.throwIfAborted();
    // A new buffer for each chunk: the reader may keep parts of it.
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

/**
 * Reads and validates a JSON file of an incident's folder.
 * @returns undefined when the file does not exist
 * @throws {QueryError} naming the file and every invalid field
 */
export async function readIncidentJson<Schema extends z.ZodType>(
  folder: string,
  name: string,
  schema: Schema,
  signal: AbortSignal,
): Promise<z.output<Schema> | undefined> {
  signal.throwIfAborted();
  const file = await openIncidentFile(folder, name);
  if (!file) return undefined;
  let text: string;
  try {
    const { size } = await file.stat();
    if (size > MAX_JSON_BYTES)
      throw new QueryError('failed', `${name}: ${size} bytes, at most ${MAX_JSON_BYTES} are read`);
    const chunks = await Array.fromAsync(readChunks(file, signal));
    text = Buffer.concat(chunks).toString('utf8');
  } finally {
    await file.close();
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new QueryError('failed', `${name}: not JSON (${String(error)})`, { cause: error });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.join('.') || 'file'}: ${issue.message}`);
  throw new QueryError('failed', `${name}: ${problems.join('; ')}`);
}
