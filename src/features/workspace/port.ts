/**
 * The files of a team: the workspace's interface for tools and endpoints. Its history is a line of commits; every read
 * names a revision (the id of a commit or of a tree), so that related reads see one state. Paths are relative to the
 * root, with `/` between names and in Unicode's composed form; see `workspacePath` for what is refused.
 */

/** Maximum size of a file to write, in bytes of UTF-8. */
export const MAX_FILE_BYTES = 1_048_576;
/** Maximum files to write in one batch of changes, and in the draft of a run. */
export const MAX_CHANGES = 200;
/** Maximum files in one batch of changes, deleted ones included. */
export const MAX_DELETIONS = 5_000;
/** Maximum total bytes of new content in one batch. */
export const MAX_CHANGE_BYTES = 8 * 1_048_576;
/** The content of a larger file is not read. */
export const MAX_READ_BYTES = 4 * 1_048_576;

export interface WorkspaceEntry {
  /** From the root of the workspace. */
  path: string;
  /** Links are shown and never followed; a submodule is another repository's commit. */
  type: 'file' | 'directory' | 'link' | 'submodule';
  /** Bytes; null for entries without a size. */
  size: number | null;
}

export interface WorkspaceListing {
  /** In Git's order: by name, byte by byte. */
  entries: WorkspaceEntry[];
  /** More entries exist. */
  truncated: boolean;
}

export interface WorkspaceFile {
  path: string;
  /** Names its content: the id of Git's object. */
  id: string;
  /** Bytes. */
  size: number;
  /** `binary`: not UTF-8, or contains NUL; `large`: beyond {@link MAX_READ_BYTES}. */
  kind: 'text' | 'binary' | 'link' | 'large';
  /** The content of a text file, including a byte order mark; the target of a link; null otherwise. */
  text: string | null;
  /** Null if the file is large. */
  bytes: Uint8Array | null;
}

export interface SearchMatch {
  path: string;
  /** From 1. */
  line: number;
  /** The line, or the surroundings of the match if it is long. */
  text: string;
}

export interface SearchOptions {
  at: string;
  /** A file or directory to search; the whole workspace by default. */
  path?: string;
  /**
   * `i` ignores case, `w` matches whole words, `F` makes the pattern plain text instead of a POSIX extended regular
   * expression.
   */
  flags?: string;
  /** Maximum matches to return. */
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
  /** Lines; 0 unless the file is text. */
  additions: number;
  deletions: number;
}

export interface WorkspaceDiff {
  /** Each with its unified diff, which is cut or empty once their total becomes too long. */
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
  /** Letters, digits, `-` and `_`: a key makes at most one commit, however often it is retried. */
  key: string;
  /** What distinguishes this request from another with the same key; letters and digits. */
  request?: string;
}

/** A commit as people see it. */
export interface CommitInfo {
  commit: string;
  /** Name of who made the change. */
  author: string;
  at: Date;
  message: string;
}

export interface CommitChange extends CommitInfo {
  parent: string;
  /** In Git's order; not all when `truncated`. */
  paths: Pick<ChangedPath, 'path' | 'change'>[];
  truncated: boolean;
}

export interface FileHistory {
  /** The newest first. */
  commits: CommitInfo[];
  /** There are older ones. */
  truncated: boolean;
}

export interface CommitResult {
  /** The commit made for the key, or the newest one if it already had the changes. */
  commit: string;
  paths: ChangedPath[];
  /** As it was given, if an earlier call made the commit. */
  request?: string;
}

export interface CallOptions {
  signal?: AbortSignal;
}

/** The top folder of the mirrors; nothing in it can be written. */
export const MIRRORS = 'repos';

/** Another repository's files, shown in the workspace. */
export interface WorkspaceMount {
  /** `repos/OWNER/NAME`; further names in between are allowed. */
  path: string;
  /** The absolute path of the other repository's `objects` folder. */
  objects: string;
  /** The commit to show. */
  commit: string;
}

/** The files of a repository, at any of its revisions. Every call may throw {@link WorkspaceError}. */
export interface GitFiles {
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
  /** The differences between two revisions; a renamed file is deleted and added. */
  diff(from: string, to: string, options?: CallOptions): Promise<WorkspaceDiff>;
}

/**
 * The workspace of one team. Every call may throw {@link WorkspaceError}. Below `repos/`, list, read and search find the
 * mounted repositories as they are now, whatever the revision; diff and commit concern the team's own files.
 */
export interface WorkspacePort extends GitFiles {
  /** @returns the newest commit; the first call for a team creates its empty workspace */
  head(options?: CallOptions): Promise<string>;
  /** The files as they would be with the changes, without a commit. @returns a revision to read them at */
  preview(changes: readonly WorkspaceChange[], options: { at: string; signal?: AbortSignal }): Promise<string>;
  /**
   * Makes one commit of all changes. If the branch has moved since `base`, changes to paths that nobody touched
   * meanwhile are applied on top of it. Safe to repeat after a lost answer: the key finds the commit.
   * @throws {WorkspaceConflict} when a path was changed meanwhile, to something other than requested
   */
  commit(input: CommitInput, options?: CallOptions): Promise<CommitResult>;
  /**
   * The commit that was made for a key within the last day.
   * @returns undefined without a commit
   */
  made(key: string, options?: CallOptions): Promise<CommitResult | undefined>;
  /**
   * The commits that changed a file, or anything in a directory.
   * @param options.before a commit of the history, after which to go on
   */
  history(path: string, options: { before?: string; limit: number; signal?: AbortSignal }): Promise<FileHistory>;
  /**
   * The commits after one, the oldest first.
   * @param options.until the last one; by default the newest
   * @returns undefined when there are more than `limit`, or the history does not contain the commit
   */
  since(
    commit: string,
    options: { until?: string; limit: number; signal?: AbortSignal },
  ): Promise<CommitChange[] | undefined>;
  /**
   * Shows another repository's files, read-only, in place of what was mounted at the path. Safe to repeat. While its
   * folder is missing, the workspace is shown without it.
   * @throws {WorkspaceError} `invalid_path`; `clash` within or around another mount; `unknown_revision` when the commit is
   *   not in `objects`
   */
  mount(mount: WorkspaceMount, options?: CallOptions): Promise<void>;
  /** Ends a mount, if it is there. */
  unmount(path: string): Promise<void>;
  /** What is mounted, by path; missing folders included. */
  mounts(): Promise<WorkspaceMount[]>;
}

/** The workspaces of all teams. */
export interface Workspaces {
  /** @throws {TypeError} when the id is not a UUID */
  forTeam(teamId: string): WorkspacePort;
}

/** What a process does for all workspaces of the installation. */
export interface WorkspaceUpkeep {
  /** Collects the garbage of the workspaces that have enough of it, for at most a minute each. */
  collect(now: Date): Promise<void>;
  /** The size of all workspaces on disk, without mirrors, in bytes. */
  size(): Promise<number>;
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
  | 'read_only'
  | 'closed'
  | 'timeout'
  | 'busy';

/** A request that cannot be fulfilled; `message` tells a model and a person why. */
export class WorkspaceError extends Error {
  override name = 'WorkspaceError';
  readonly code: WorkspaceErrorCode;
  constructor(code: WorkspaceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Others changed the same paths since the changes began. */
export class WorkspaceConflict extends WorkspaceError {
  override name = 'WorkspaceConflict';
  /** Paths of the batch that others touched meanwhile. */
  readonly paths: string[];
  constructor(paths: string[]) {
    const named = paths.slice(0, 5).join(', ') + (paths.length > 5 ? ` and ${paths.length - 5} more` : '');
    super('conflict', `Changed by others in the meantime: ${named}`);
    this.paths = paths;
  }
}
