/** Files and directories of a revision. */
import { directoryPath, workspacePath } from '../path.ts';
import {
  MAX_READ_BYTES,
  WorkspaceError,
  type WorkspaceEntry,
  type WorkspaceFile,
  type WorkspaceListing,
} from '../port.ts';
import type { Repository } from './repository.ts';

const LIST_LIMIT = 1_000;
const LISTING_BYTES = 8 * 1_048_576;
/** Limit for one command's arguments; systems allow at least 128 kB. */
const ARGUMENT_BYTES = 60_000;

const TYPES: Record<string, WorkspaceEntry['type']> = {
  '040000': 'directory',
  '120000': 'link',
  '160000': 'submodule',
};

/** An entry as Git stores it. */
export interface TreeEntry extends WorkspaceEntry {
  /** Six octal digits. */
  mode: string;
  /** Id of the object. */
  object: string;
}

/** One level of a directory, or all files below it. */
export async function listEntries(
  repository: Repository,
  path: string,
  options: { at: string; recursive?: boolean; limit?: number; signal?: AbortSignal },
): Promise<WorkspaceListing> {
  const { at, recursive = false, limit = LIST_LIMIT, signal } = options;
  const directory = directoryPath(path);
  const args = ['ls-tree', '-z', '-l', ...(recursive ? ['-r'] : []), at, '--'];
  if (directory !== '') args.push(`${directory}/`);
  const { stdout, cut } = await repository.git(args, { maxBytes: LISTING_BYTES, cut: true, signal });
  const entries = parseEntries(stdout);
  // Git keeps no empty directories.
  if (entries.length === 0 && directory !== '') {
    const entry = (await findEntries(repository, at, [directory], signal)).get(directory);
    if (!entry) throw notFound(directory);
    throw new WorkspaceError('not_a_directory', `${directory} is a ${entry.type}, not a directory`);
  }
  const listed = entries.slice(0, limit).map(({ path, type, size }) => ({ path, type, size }));
  return { entries: listed, truncated: cut || entries.length > limit };
}

/** @returns the existing ones among the paths, by path */
export async function findEntries(
  repository: Repository,
  at: string,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, TreeEntry>> {
  const found = new Map<string, TreeEntry>();
  const wanted = new Set(paths);
  for (const part of inParts([...wanted])) {
    const { stdout } = await repository.git(['ls-tree', '-t', '-z', '-l', at, '--', ...part], { signal });
    for (const entry of parseEntries(stdout)) if (wanted.has(entry.path)) found.set(entry.path, entry);
  }
  return found;
}

/** One file; a link is read as its target path. */
export async function readFile(
  repository: Repository,
  path: string,
  options: { at: string; signal?: AbortSignal },
): Promise<WorkspaceFile> {
  const clean = workspacePath(path);
  const entry = (await findEntries(repository, options.at, [clean], options.signal)).get(clean);
  if (!entry) throw notFound(clean);
  if (entry.type === 'directory' || entry.type === 'submodule')
    throw new WorkspaceError('not_a_file', `${clean} is a ${entry.type}, not a file`);
  const size = entry.size ?? 0;
  if (size > MAX_READ_BYTES) return { path: clean, id: entry.object, size, kind: 'large', text: null, bytes: null };
  const { stdout: bytes } = await repository.git(['cat-file', 'blob', entry.object], { signal: options.signal });
  const text = textOf(bytes);
  const kind = entry.type === 'link' ? 'link' : text === null ? 'binary' : 'text';
  return { path: clean, id: entry.object, size, kind, text, bytes };
}

function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

/** `MODE TYPE OBJECT SIZE\tPATH`, each terminated by NUL; anything after the last NUL is incomplete. */
function parseEntries(output: Buffer): TreeEntry[] {
  const records = output.toString('utf8').split('\0').slice(0, -1);
  return records.map((record) => {
    const tab = record.indexOf('\t');
    const [mode = '', , object = '', size = '-'] = record.slice(0, tab).split(/ +/u);
    return {
      path: record.slice(tab + 1),
      type: TYPES[mode] ?? 'file',
      size: size === '-' ? null : Number(size),
      mode,
      object,
    };
  });
}

function* inParts(paths: readonly string[]): Generator<string[]> {
  let part: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    bytes += Buffer.byteLength(path) + 1;
    if (bytes > ARGUMENT_BYTES) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(path);
  }
  if (part.length > 0) yield part;
}

function notFound(path: string): WorkspaceError {
  return new WorkspaceError('not_found', `The workspace has no ${path}`);
}
