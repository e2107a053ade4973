/**
 * The files of a team: what the workspace offers to tools and endpoints. Its history is a line of commits; everything is
 * read at a revision (the id of a commit or of a tree), so that what belongs together is read from one state. Paths are
 * relative to the root, with `/` between names and in Unicode's composed form; see `workspacePath` for what is refused.
 */

/** Largest file that can be written, in bytes of UTF-8. */
export const MAX_FILE_BYTES = 1_048_576;
/** Most files of one batch of changes. */
export const MAX_CHANGES = 200;
/** Most bytes that the new contents of one batch have together. */
export const MAX_CHANGE_BYTES = 8 * 1_048_576;
/** A larger file is described, but its content is not read. */
export const MAX_READ_BYTES = 4 * 1_048_576;

export interface WorkspaceEntry {
  /** From the root of the workspace. */
  path: string;
  /** A link is shown and never followed; a submodule is another repository's commit. */
  type: 'file' | 'directory' | 'link' | 'submodule';
  /** Bytes; null for what has no size of its own. */
  size: number | null;
}

export interface WorkspaceListing {
  /** In the order of Git: by name, byte by byte. */
  entries: WorkspaceEntry[];
  /** There is more than was asked for. */
  truncated: boolean;
}

export interface WorkspaceFile {
  path: string;
  /** Bytes. */
  size: number;
  /** `binary` is what is not UTF-8 or holds NUL; `large` is beyond {@link MAX_READ_BYTES}. */
  kind: 'text' | 'binary' | 'link' | 'large';
  /** The content where it is text, byte order mark included; of a link where it points to; null otherwise. */
  text: string | null;
  /** Null where the file is large. */
  bytes: Uint8Array | null;
}

export interface SearchMatch {
  path: string;
  /** From 1. */
  line: number;
  /** The line, or what is around the match where it is long. */
  text: string;
}

export interface SearchOptions {
  at: string;
  /** A file or directory to search in; the whole workspace unless given. */
  path?: string;
  /** `i` in any case, `w` whole words, `E` the pattern is a POSIX extended regular expression and not plain text. */
  flags?: string;
  /** Most matches to return. */
  limit: number;
  signal?: AbortSignal;
}

/** A file's new content; null deletes the file. */
export interface WorkspaceChange {
  path: string;
  content: string | null;
}

export interface ChangedPath {
  path: string;
  change: 'added' | 'modified' | 'deleted';
  /** Lines; 0 where the file is not text. */
  additions: number;
  deletions: number;
}

export interface WorkspaceDiff {
  /** Each with its unified diff, which is cut or empty once all of them together become too long. */
  files: (ChangedPath & { diff: string })[];
  truncated: boolean;
}

export interface CommitInput {
  /** The commit that the changes were made against. */
  base: string;
  changes: readonly WorkspaceChange[];
  message: string;
  author: { name: string; email: string };
  date: Date;
  /** Letters, digits, `-` and `_`: the same key makes at most one commit, however often it is tried. */
  key: string;
}

export interface CommitResult {
  /** The commit made for the key, or the newest one when the changes were there already. */
  commit: string;
  paths: ChangedPath[];
}

export interface CallOptions {
  signal?: AbortSignal;
}

/** The workspace of one team. Every call may throw {@link WorkspaceError}. */
export interface WorkspacePort {
  /** @returns the newest commit; the first call for a team makes its workspace, which is empty */
  head(options?: CallOptions): Promise<string>;
  /**
   * @param path a directory; `.` is the root
   * @param options.recursive the files of all directories below, instead of one level
   */
  list(
    path: string,
    options: { at: string; recursive?: boolean; limit?: number; signal?: AbortSignal },
  ): Promise<WorkspaceListing>;
  read(path: string, options: { at: string; signal?: AbortSignal }): Promise<WorkspaceFile>;
  /** Finds lines in text files. */
  search(pattern: string, options: SearchOptions): Promise<{ matches: SearchMatch[]; truncated: boolean }>;
  /** The files as they would be with the changes, without making a commit. @returns a revision to read them at */
  preview(changes: readonly WorkspaceChange[], options: { at: string; signal?: AbortSignal }): Promise<string>;
  /** What changed from one revision to another; renamed files are deleted and added ones. */
  diff(from: string, to: string, options?: CallOptions): Promise<WorkspaceDiff>;
  /**
   * Makes one commit of all changes. Where the branch has moved since `base`, changes of paths that nobody touched in
   * between are made on top of it. May be repeated after a lost answer: the key finds the commit that was made.
   * @throws {WorkspaceConflict} when a path was changed in between, to something else than is asked for
   */
  commit(input: CommitInput, options?: CallOptions): Promise<CommitResult>;
}

/** The workspaces of all teams. */
export interface Workspaces {
  /** @throws {TypeError} when the id is no UUID */
  forTeam(teamId: string): WorkspacePort;
}

export type WorkspaceErrorCode =
  | 'invalid_path'
  | 'invalid'
  | 'not_found'
  | 'not_a_file'
  | 'not_a_directory'
  | 'clash'
  | 'too_large'
  | 'unknown_revision'
  | 'conflict'
  | 'closed'
  | 'timeout'
  | 'busy';

/** Something that cannot be done; `message` says why in words for a model and a person. */
export class WorkspaceError extends Error {
  override name = 'WorkspaceError';
  readonly code: WorkspaceErrorCode;
  constructor(code: WorkspaceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Others changed the same paths since the changes were begun. */
export class WorkspaceConflict extends WorkspaceError {
  override name = 'WorkspaceConflict';
  /** Paths of the batch that were touched in between. */
  readonly paths: string[];
  constructor(paths: string[]) {
    const named = paths.slice(0, 5).join(', ') + (paths.length > 5 ? ` and ${paths.length - 5} more` : '');
    super('conflict', `Changed by others in the meantime: ${named}`);
    this.paths = paths;
  }
}
