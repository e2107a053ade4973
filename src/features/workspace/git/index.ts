/** The workspaces as bare Git repositories, one for each team, written and read through the real `git`. */
import { join } from 'node:path';
import { sizeOf } from '../../../platform/disk.ts';
import { GIT_TIMEOUT_MS } from '../../../platform/git/index.ts';
import { createKeyedMutex } from '../../../platform/keyed-mutex.ts';
import { writablePath } from '../path.ts';
import type { WorkspacePort, Workspaces, WorkspaceUpkeep } from '../port.ts';
import { collectGarbage } from './collect.ts';
import { commitChanges, commitOf } from './commit.ts';
import { diffOf } from './diff.ts';
import { listEntries, readFile } from './entries.ts';
import { commitsSince, historyOf } from './history.ts';
import { addMount, mountsOf, removeMount } from './mounts.ts';
import { headOf } from './refs.ts';
import {
  atRevisions,
  isRevision,
  openRepository,
  repositoryName,
  repositoryNames,
  type Repository,
} from './repository.ts';
import { searchFiles, SEARCH_TIMEOUT_MS } from './search.ts';
import { writeObjects, writeTree } from './tree.ts';
import { throughView, type Readable } from './view.ts';

/** Multiple of Git's timeout: longer than any of our Git processes lives, including those being killed. */
const STALE_LOCK_TIMES = 3;
/** After this a commit no longer waits for another of this process: moving the branch decides between them anyway. */
const MUTEX_TIMEOUT_MS = 30_000;

export interface GitWorkspaceOptions {
  /** The directory of the repositories; the same for every process of an installation. */
  directory: string;
  /** The Git executable, 2.38 or newer; `git` on the PATH by default. */
  program?: string;
  /** Age at which one of Git's locks counts as left by a killed process, ms; three times `gitTimeoutMs` by default. */
  staleLockMs?: number;
  /** 5 s by default. */
  searchTimeoutMs?: number;
  /** Timeout of any other Git command, ms; 10,000 by default. */
  gitTimeoutMs?: number;
  /** Called after a commit was made, repeated ones included, and after a mount has changed. */
  onChange?: (change: WorkspaceEvent) => Promise<void>;
}

/** Something that everybody who looks at a workspace wants to know. */
export type WorkspaceEvent = { teamId: string } & ({ commit: string } | { mount: string });

/** Creates nothing yet: a team's repository is created on first use. */
export function createGitWorkspaces(options: GitWorkspaceOptions): Workspaces & WorkspaceUpkeep {
  const { directory, program = 'git', searchTimeoutMs = SEARCH_TIMEOUT_MS, gitTimeoutMs = GIT_TIMEOUT_MS } = options;
  const { staleLockMs = STALE_LOCK_TIMES * gitTimeoutMs, onChange } = options;
  const git = { program, timeoutMs: gitTimeoutMs };
  const inTurn = createKeyedMutex({ timeoutMs: MUTEX_TIMEOUT_MS });

  return {
    forTeam(teamId): WorkspacePort {
      const name = repositoryName(teamId);
      const open = (): Promise<Repository> => openRepository(git, directory, name);
      /** Opens the repository for an operation on revisions that the caller names. */
      const at = async <T>(revisions: string[], work: (repository: Repository) => Promise<T>): Promise<T> => {
        const repository = await open();
        return atRevisions(repository, revisions, () => work(repository));
      };
      /** Opens the workspace for reading a path, with the mirrors that are in it. */
      const reading = <T>(
        path: string,
        options: { at: string; signal?: AbortSignal },
        work: (readable: Readable) => Promise<T>,
      ): Promise<T> => at([options.at], (repository) => throughView(repository, { ...options, path }, work));
      return {
        head: async ({ signal } = {}) => headOf(await open(), signal),
        list: (path, options) =>
          reading(path, options, (seen) => listEntries(seen.repository, path, { ...options, at: seen.at })),
        read: (path, options) =>
          reading(path, options, (seen) => readFile(seen.repository, path, { ...options, at: seen.at })),
        search: (pattern, options) =>
          reading(options.path ?? '.', options, (seen) =>
            searchFiles(seen.repository, pattern, { ...options, at: seen.at }, searchTimeoutMs),
          ),
        preview: (changes, { at: base, signal }) =>
          at([base], async (repository) => {
            for (const { path } of changes) writablePath(path);
            const written = await writeObjects(repository, changes, signal);
            return writeTree(repository, base, written, signal);
          }),
        diff: (from, to, { signal } = {}) => at([from, to], (repository) => diffOf(repository, from, to, signal)),
        commit: (input, { signal } = {}) =>
          inTurn(
            name,
            () => at([input.base], (repository) => commitChanges(repository, input, { staleLockMs, signal })),
            signal,
          ).then(async (result) => {
            if (result.paths.length > 0) await onChange?.({ teamId, commit: result.commit });
            return result;
          }),
        made: async (key, { signal } = {}) => commitOf(await open(), key, signal),
        history: (path, options) =>
          at(options.before === undefined ? [] : [options.before], (repository) =>
            historyOf(repository, path, options),
          ),
        async since(commit, options) {
          const named = [commit, ...(options.until === undefined ? [] : [options.until])];
          return named.every(isRevision) ? commitsSince(await open(), commit, options) : undefined;
        },
        async mount(mount, { signal } = {}) {
          if (await addMount(await open(), mount, signal)) await onChange?.({ teamId, mount: mount.path });
        },
        async unmount(path) {
          if (await removeMount(await open(), path)) await onChange?.({ teamId, mount: path });
        },
        mounts: async () =>
          (await mountsOf(await open())).map(({ path, objects, commit }) => ({ path, objects, commit })),
      };
    },
    async collect(now) {
      const failures: unknown[] = [];
      for (const name of await repositoryNames(directory)) {
        const repository = await openRepository(git, directory, name);
        await collectGarbage(repository, { now, staleLockMs }).catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw new AggregateError(failures, 'Some workspaces could not be collected');
    },
    async size() {
      let size = 0;
      for (const name of await repositoryNames(directory)) size += await sizeOf(join(directory, name));
      return size;
    },
  };
}
