/** The workspaces as bare Git repositories, one for each team, written and read through the real `git`. */
import { createKeyedMutex } from '../../../platform/keyed-mutex.ts';
import type { WorkspacePort, Workspaces } from '../port.ts';
import { commitChanges } from './commit.ts';
import { diffOf } from './diff.ts';
import { listEntries, readFile } from './entries.ts';
import { headOf } from './refs.ts';
import { atRevisions, openRepository, repositoryName, type Repository } from './repository.ts';
import { GIT_TIMEOUT_MS } from './run.ts';
import { searchFiles } from './search.ts';
import { writeObjects, writeTree } from './tree.ts';

/** So many times as long as a run of Git may take: longer than any Git of ours lives, those that are being killed included. */
const STALE_LOCK_TIMES = 3;
const SEARCH_TIMEOUT_MS = 5_000;
/** After this a commit does not wait for another of this process any longer: the branch decides between them anyway. */
const MUTEX_TIMEOUT_MS = 30_000;

export interface GitWorkspaceOptions {
  /** Where the repositories are; the same for every process of an installation. */
  directory: string;
  /** The Git to run, 2.38 or newer; `git` on the PATH unless given. */
  program?: string;
  /** Age from which a lock of Git counts as left by one that was killed, ms; three times `gitTimeoutMs` unless given. */
  staleLockMs?: number;
  /** 5 s unless given. */
  searchTimeoutMs?: number;
  /** How long any other run of Git may take, ms; 10,000 unless given. */
  gitTimeoutMs?: number;
}

/** Makes nothing yet: a team's repository is made when it is first needed. */
export function createGitWorkspaces(options: GitWorkspaceOptions): Workspaces {
  const { directory, program = 'git', searchTimeoutMs = SEARCH_TIMEOUT_MS, gitTimeoutMs = GIT_TIMEOUT_MS } = options;
  const { staleLockMs = STALE_LOCK_TIMES * gitTimeoutMs } = options;
  const git = { program, timeoutMs: gitTimeoutMs };
  const inTurn = createKeyedMutex({ timeoutMs: MUTEX_TIMEOUT_MS });

  return {
    forTeam(teamId): WorkspacePort {
      const name = repositoryName(teamId);
      const open = (): Promise<Repository> => openRepository(git, directory, name);
      /** Opens the repository for something that is done with revisions the caller names. */
      const at = async <T>(revisions: string[], work: (repository: Repository) => Promise<T>): Promise<T> => {
        const repository = await open();
        return atRevisions(repository, revisions, () => work(repository));
      };
      return {
        head: async ({ signal } = {}) => headOf(await open(), signal),
        list: (path, options) => at([options.at], (repository) => listEntries(repository, path, options)),
        read: (path, options) => at([options.at], (repository) => readFile(repository, path, options)),
        search: (pattern, options) =>
          at([options.at], (repository) => searchFiles(repository, pattern, options, searchTimeoutMs)),
        preview: (changes, { at: base, signal }) =>
          at([base], async (repository) => {
            const written = await writeObjects(repository, changes, signal);
            return writeTree(repository, base, written, signal);
          }),
        diff: (from, to, { signal } = {}) => at([from, to], (repository) => diffOf(repository, from, to, signal)),
        commit: (input, { signal } = {}) =>
          inTurn(
            name,
            () => at([input.base], (repository) => commitChanges(repository, input, { staleLockMs, signal })),
            signal,
          ),
      };
    },
  };
}
