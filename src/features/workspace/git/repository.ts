/** One bare repository per team, created on first use. */
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkspaceError } from '../port.ts';
import { GitError, ifThere, GitStopped, runGit, type GitOptions, type GitResult } from '../../../platform/git/index.ts';
import { isUuid } from '../../../platform/uuid.ts';

export const BRANCH = 'refs/heads/main';
/** The refs that map keys to commits. */
export const CHANGES = 'refs/casebook/changes';

const REVISION = /^[0-9a-f]{40}$/u;
/** Whether a text has the form of a full object id. */
export const isRevision = (text: string): boolean => REVISION.test(text);
const FIRST_COMMIT = 'Begin the workspace\n';

export interface Repository {
  path: string;
  /** @throws as `runGit` */
  git(args: readonly string[], options?: GitOptions): Promise<GitResult>;
}

/** A team's id as a file name. @throws {TypeError} unless it is a UUID */
export function repositoryName(teamId: string): string {
  const id = teamId.toLowerCase();
  if (!isUuid(id)) throw new TypeError('The id of a team must be a UUID');
  return `${id}.git`;
}

/** The file names of the repositories in a directory. */
export async function repositoryNames(directory: string): Promise<string[]> {
  const names = (await ifThere(readdir(directory))) ?? [];
  return names.filter((name) => name.endsWith('.git') && isUuid(name.slice(0, -4)));
}

/** How Git is run. */
export interface GitProgram {
  program: string;
  /** Default timeout of one command, ms; 10,000 by default. */
  timeoutMs?: number;
}

/**
 * Opens the repository; creates a missing one, empty with one commit. Several processes may do so at once: each builds
 * it beside its place, and the first to move it there wins.
 * @param directory parent of all teams' repositories
 */
export async function openRepository(git: GitProgram, directory: string, name: string): Promise<Repository> {
  const path = join(directory, name);
  const there = await access(join(path, 'HEAD')).then(
    () => true,
    () => false,
  );
  if (!there) await create(git, directory, path);
  return repositoryAt(git, path);
}

const repositoryAt = ({ program, timeoutMs }: GitProgram, path: string): Repository =>
  explained({ path, git: (args, options) => runGit(program, path, args, { timeoutMs, ...options }) });

/** The repository with a {@link WorkspaceError} where Git was ended. */
export const explained = ({ path, git }: Repository): Repository => ({
  path,
  async git(args, options) {
    try {
      return await git(args, options);
    } catch (error) {
      if (!(error instanceof GitStopped)) throw error;
      const code = error.reason === 'timeout' ? 'timeout' : 'too_large';
      throw new WorkspaceError(code, error.message, { cause: error });
    }
  },
});

/**
 * Runs an operation on revisions that a caller named. If Git fails, checks whether they exist: each command reports a
 * missing one differently.
 * @throws {WorkspaceError} `unknown_revision` when one is not a full object id, or does not exist
 */
export async function atRevisions<T>(
  repository: Repository,
  revisions: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  if (!revisions.every(isRevision)) throw new WorkspaceError('unknown_revision', 'A revision is 40 hexadecimal digits');
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    for (const each of revisions) {
      const { code } = await repository.git(['cat-file', '-e', `${each}^{tree}`], { accept: [1, 128] });
      if (code !== 0) throw new WorkspaceError('unknown_revision', `There is no revision ${each}`, { cause: error });
    }
    throw error;
  }
}

async function create(git: GitProgram, directory: string, path: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const beside = await mkdtemp(join(directory, 'new-'));
  try {
    const repository = repositoryAt(git, beside);
    const layout = ['--template=', '--initial-branch=main', '--object-format=sha1'];
    await repository.git(['init', '--quiet', '--bare', '--shared=0600', ...layout]);
    const tree = id(await repository.git(['hash-object', '-t', 'tree', '-w', '--stdin']));
    const env = identity(COMMITTER, new Date(0));
    const commit = id(await repository.git(['commit-tree', tree], { input: FIRST_COMMIT, env }));
    await repository.git(['update-ref', BRANCH, commit]);
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { recursive: true, force: true });
    const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
    // Another process was first.
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
}

export const COMMITTER = { name: 'Casebook', email: 'casebook@casebook.invalid' };

/** Variables that set a commit's author, committer and time; the committer is Casebook. */
export function identity(author: { name: string; email: string }, date: Date): Record<string, string> {
  const at = `@${Math.floor(date.getTime() / 1_000)} +0000`;
  return {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_DATE: at,
    GIT_COMMITTER_NAME: COMMITTER.name,
    GIT_COMMITTER_EMAIL: COMMITTER.email,
    GIT_COMMITTER_DATE: at,
  };
}

/** The object id that a command printed. */
export function id({ stdout }: GitResult): string {
  return stdout.toString('latin1').trim();
}
