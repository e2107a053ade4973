/** Which paths the workspace accepts. Every path that reaches Git has passed through here. */
import { MIRRORS, WorkspaceError } from './port.ts';

const MAX_PATH_BYTES = 1_024;
const MAX_NAME_BYTES = 255;
const MAX_DEPTH = 40;

/** Control and format characters (including those that HFS+ ignores in names), line and paragraph separators. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * @param path from the root of the workspace; a leading `./` and a trailing `/` are dropped
 * @returns the path as Git has it
 * @throws {WorkspaceError} when it is empty, absolute or leads upwards, names Git's own folder in a spelling that some
 *   file system accepts, or has invisible characters
 */
export function workspacePath(path: string): string {
  const clean = stripped(path);
  if (clean === '') throw refused(path, 'it must name a file or directory');
  return clean;
}

/** {@link workspacePath}, but `.`, `./` and an empty text mean the root. @returns `''` for the root */
export function directoryPath(path: string): string {
  return stripped(path === '.' ? '' : path);
}

function stripped(path: string): string {
  const clean = path.replace(/^(\.\/)+/u, '').replace(/\/$/u, '');
  if (clean === '' && (path === '' || path.startsWith('.'))) return '';
  if (!clean.isWellFormed() || UNSEEN.test(clean)) throw refused(path, 'it has invisible characters');
  if (clean.normalize('NFC') !== clean) throw refused(path, "it is not in Unicode's composed form (NFC)");
  if (clean.includes('\\')) throw refused(path, 'names are separated by /');
  if (clean === '' || clean.startsWith('/')) throw refused(path, 'it must be relative to the root');
  if (Buffer.byteLength(clean) > MAX_PATH_BYTES) throw refused(path, `it is longer than ${MAX_PATH_BYTES} bytes`);
  const names = clean.split('/');
  if (names.length > MAX_DEPTH) throw refused(path, `it is deeper than ${MAX_DEPTH} directories`);
  for (const name of names) {
    const problem = nameProblem(name);
    if (problem !== undefined) throw refused(path, problem);
  }
  return clean;
}

function nameProblem(name: string): string | undefined {
  if (name === '') return 'it has an empty name';
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return `a name is longer than ${MAX_NAME_BYTES} bytes`;
  // A name as NTFS sees it: nothing after a colon, no dots and spaces at the end, no case.
  const plain = name
    .replace(/:.*$/u, '')
    .replace(/[. ]+$/u, '')
    .toLowerCase();
  if (/^[. ]+(?::|$)/u.test(name)) return '"." and ".." are not allowed';
  if (plain === '.git' || plain === 'git~1') return 'it names a folder of Git itself';
  return undefined;
}

function refused(path: string, why: string): WorkspaceError {
  const shown = JSON.stringify(path.length > 80 ? `${path.slice(0, 80)}…` : path);
  return new WorkspaceError('invalid_path', `${shown} is not an accepted path: ${why}`);
}

/**
 * {@link workspacePath} of something that is to be changed.
 * @throws {WorkspaceError} `read_only` below the mirrors too
 */
export function writablePath(path: string): string {
  const clean = workspacePath(path);
  if (!isMirrored(clean)) return clean;
  const why = `${MIRRORS} holds read-only mirrors of connected repositories`;
  throw new WorkspaceError('read_only', `${clean} cannot be changed: ${why}`);
}

/** The directories above a path, the outermost first, without the root. */
export function ancestors(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}

/** Whether a clean path is the folder of the mirrors or in it. */
export const isMirrored = (path: string): boolean => path === MIRRORS || path.startsWith(`${MIRRORS}/`);
