/** The mirrors of connected repositories: bare repositories that follow their hosts. */
import { forTeam } from '../../../db/team-filter.ts';
import { createKeyedMutex } from '../../../platform/keyed-mutex.ts';
import type { RepositoryRef, SyncResult } from '../contract.ts';
import type { Repository } from '../entities.ts';
import type { Mirror } from '../port.ts';
import { mirrorAt, type MirrorOptions } from './bare.ts';
import { compareDue } from './due.ts';
import { collectOrphans, collectRemoved } from './removed.ts';
import { createFetchSlots, fetchInto, syncMirror, type SyncDeps } from './sync.ts';
import { startMirrors, sweepWanted, wantMirrors, type WantDeps, type WantedRepository } from './want.ts';

export { nextComparison } from './due.ts';
export { registerMirrorMetrics } from './metrics.ts';
export { whyHidden } from './shown.ts';
export { MirrorsBusy } from './sync.ts';
export { recordWanted, startMirrors, type WantDeps, type WantedRepository } from './want.ts';

export interface Mirrors {
  of(repository: Repository): Mirror;
  /** Fetches, for the workflow. @throws {CodeHostError | MirrorsBusy} when another attempt may succeed */
  sync(repository: RepositoryRef, signal: AbortSignal): Promise<SyncResult>;
  /** Asks for the newest commits of repositories, once they are committed. Never fails. */
  want(repositories: readonly WantedRepository[]): Promise<void>;
  /** Starts the workflows of repositories that are recorded as wanted. Never fails: the sweep starts what Temporal refuses. */
  start(repositories: readonly WantedRepository[]): Promise<void>;
  /** Starts what was asked for and not started. For sweeps. */
  startWanted(): Promise<unknown>;
  /** Compares with their hosts what was not compared for a while. For sweeps. */
  compareDue(): Promise<unknown>;
  /** Deletes what is left of disconnected repositories. For sweeps. */
  collectRemoved(): Promise<unknown>;
  /** Deletes mirrors of which nothing is known, at most once an hour. For sweeps. */
  collectOrphans(): Promise<unknown>;
}

const ORPHANS_EVERY_MS = 3_600_000;

/** @param options.directory the same for every process of an installation */
export function createMirrors(
  deps: Omit<SyncDeps, 'bareOf' | 'directory'> & WantDeps,
  options: MirrorOptions,
): Mirrors {
  const bareOf: SyncDeps['bareOf'] = ({ id, teamId }) => mirrorAt(options, teamId, id);
  const all = { ...deps, directory: options.directory, bareOf };
  const inTurn = createKeyedMutex();
  const slots = createFetchSlots();
  let orphansDueAt = 0;
  return {
    of(repository) {
      const { id, teamId, defaultBranch } = repository;
      const bare = bareOf(repository);
      return {
        gitDir: bare.gitDir,
        git: bare.git,
        head: (branch = defaultBranch) => bare.head(branch),
        resolve: bare.resolve,
        async fetchNow(signal) {
          await inTurn(id, () => fetchInto(all, forTeam(deps.orm.em, teamId), repository, bare, signal), signal);
        },
        async push(refspecs, signal) {
          await bare.push(await deps.remoteOf(repository, signal), refspecs, signal);
        },
      };
    },
    sync: (ref, signal) =>
      slots(ref.teamId, () => inTurn(ref.repositoryId, () => syncMirror(all, ref, signal), signal), signal),
    want: (repositories) => wantMirrors(all, repositories),
    start: (repositories) => startMirrors(all, repositories),
    startWanted: () => sweepWanted(all),
    compareDue: () => compareDue(all),
    collectRemoved: () => collectRemoved(all),
    async collectOrphans() {
      const now = deps.clock.now().getTime();
      if (now < orphansDueAt) return;
      orphansDueAt = now + ORPHANS_EVERY_MS;
      await collectOrphans(all);
    },
  };
}
