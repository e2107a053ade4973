/**
 * Turns a batch of changes into a Git tree. Nothing is ever checked out: only objects and a temporary index are
 * written.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ancestors, workspacePath } from '../path.ts';
import {
  MAX_CHANGE_BYTES,
  MAX_CHANGES,
  MAX_DELETIONS,
  MAX_FILE_BYTES,
  WorkspaceError,
  type WorkspaceChange,
} from '../port.ts';
import { findEntries } from './entries.ts';
import { id, type Repository } from './repository.ts';

/** Each write waits for the disk: this many take well less than Git's timeout. */
const OBJECTS_AT_ONCE = 20;
const NEW_FILE = '100644';
const NO_OBJECT = '0'.repeat(40);

/** A change whose content is an object in the repository; null deletes the file. */
export interface ObjectChange {
  path: string;
  object: string | null;
}

/**
 * Writes the new contents as objects.
 * @throws {WorkspaceError} when a path is refused or named twice, or a content is too large or could not be read back
 */
export async function writeObjects(
  repository: Repository,
  changes: readonly WorkspaceChange[],
  signal?: AbortSignal,
): Promise<ObjectChange[]> {
  const checked = checkChanges(changes);
  const contents = checked.flatMap(({ content }) => (content === null ? [] : [content]));
  const objects: string[] = [];
  for (let from = 0; from < contents.length; from += OBJECTS_AT_ONCE)
    objects.push(...(await hashed(repository, contents.slice(from, from + OBJECTS_AT_ONCE), signal)));
  return checked.map(({ path, content }) => ({ path, object: content === null ? null : objects.shift()! }));
}

/**
 * Not `fast-import`: when killed, it leaves files behind, one of which makes it refuse the same contents ever after.
 * @returns the object ids, in the same order
 */
async function hashed(repository: Repository, contents: readonly string[], signal?: AbortSignal): Promise<string[]> {
  return inFolder('casebook-objects-', async (folder) => {
    const paths = contents.map((_, i) => join(folder, String(i)));
    await Promise.all(contents.map((content, i) => writeFile(paths[i]!, content)));
    const input = paths.map((path) => `${path}\n`).join('');
    const { stdout } = await repository.git(['hash-object', '-w', '--no-filters', '--stdin-paths'], { input, signal });
    return stdout.toString('latin1').trimEnd().split('\n');
  });
}

function checkChanges(changes: readonly WorkspaceChange[]): WorkspaceChange[] {
  if (changes.filter(({ content }) => content !== null).length > MAX_CHANGES)
    throw new WorkspaceError('too_large', `A batch can write at most ${MAX_CHANGES} files`);
  if (changes.length > MAX_DELETIONS)
    throw new WorkspaceError('too_large', `A batch can delete at most ${MAX_DELETIONS} files`);
  const seen = new Set<string>();
  let bytes = 0;
  return changes.map(({ path, content }) => {
    const clean = workspacePath(path);
    if (seen.has(clean)) throw new WorkspaceError('invalid', `${clean} is changed twice in one batch`);
    seen.add(clean);
    if (content !== null) bytes += checkContent(clean, content);
    if (bytes > MAX_CHANGE_BYTES)
      throw new WorkspaceError('too_large', `The new contents exceed ${MAX_CHANGE_BYTES} bytes in total`);
    return { path: clean, content };
  });
}

/** @returns the size in bytes */
function checkContent(path: string, content: string): number {
  if (content.includes('\0') || !content.isWellFormed())
    throw new WorkspaceError('invalid', `The new content of ${path} is not text: it contains NUL or half a character`);
  const size = Buffer.byteLength(content);
  if (size > MAX_FILE_BYTES)
    throw new WorkspaceError('too_large', `${path} would have ${size} bytes; at most ${MAX_FILE_BYTES} can be written`);
  return size;
}

/**
 * The tree of a revision with the changes applied. Files are deleted first, so that one batch may replace a file by a
 * directory or vice versa. Deleting a missing file is no error.
 * @throws {WorkspaceError} `clash` when a file would have to be a directory as well; `not_a_file` for links
 */
export async function writeTree(
  repository: Repository,
  revision: string,
  changes: readonly ObjectChange[],
  signal?: AbortSignal,
): Promise<string> {
  const deleted = changes.filter(({ object }) => object === null);
  const written = changes.filter((change): change is { path: string; object: string } => change.object !== null);
  const remaining =
    deleted.length > 0 || written.length === 0
      ? await updated(repository, revision, deleted.map(({ path }) => `0 ${NO_OBJECT}\t${path}\0`).join(''), signal)
      : revision;
  if (written.length === 0) return remaining;

  const paths = written.map(({ path }) => path);
  const files = new Set(paths);
  const above = new Set(paths.flatMap(ancestors));
  const there = await findEntries(repository, remaining, [...files, ...above], signal);
  for (const path of above) {
    const type = files.has(path) ? 'file' : there.get(path)?.type;
    if (type !== undefined && type !== 'directory')
      throw new WorkspaceError('clash', `${path} is a ${type}: there can be no files below it`);
  }
  const lines = written.map(({ path, object }) => {
    const { type, mode } = there.get(path) ?? { type: 'file', mode: NEW_FILE };
    if (type === 'directory') throw new WorkspaceError('clash', `${path} is a directory`);
    if (type !== 'file') throw new WorkspaceError('not_a_file', `${path} is a ${type}, which cannot be edited`);
    return `${mode} ${object}\t${path}\0`;
  });
  return updated(repository, remaining, lines.join(''), signal);
}

/** @param lines input of `git update-index --index-info -z` */
async function updated(repository: Repository, revision: string, lines: string, signal?: AbortSignal): Promise<string> {
  return inFolder('casebook-index-', async (folder) => {
    const env = { GIT_INDEX_FILE: join(folder, 'index') };
    await repository.git(['read-tree', revision], { env, signal });
    await repository.git(['update-index', '-z', '--index-info'], { env, signal, input: lines });
    return id(await repository.git(['write-tree'], { env, signal }));
  });
}

/** Works in a temporary folder, which is removed afterwards. @param prefix of its name */
async function inFolder<T>(prefix: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
