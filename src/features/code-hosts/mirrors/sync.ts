/** Brings a mirror up to date: fetches, shows it in the team's workspace, and records what came of it. */
import { CodeHostError } from '@casebook/connectors';
import type { EntityManager, Orm } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import type { Clock } from '../../../platform/clock.ts';
import { assertDiskSpace } from '../../../platform/disk.ts';
import { createFairSlots, type FairSlots } from '../../../platform/fair-slots.ts';
import type { GitRemote } from '../../../platform/git/index.ts';
import type { Logger } from '../../../platform/logger.ts';
import { messageOf } from '../../../platform/message-of.ts';
import { storableText } from '../../../platform/storable.ts';
import type { Workspaces } from '../../workspace/index.ts';
import type { RepositoryRef, SyncResult } from '../contract.ts';
import { Repository } from '../entities.ts';
import type { BareMirror } from './bare.ts';
import { show } from './shown.ts';

export interface SyncDeps {
  orm: Orm;
  clock: Clock;
  log: Logger;
  workspaces: Workspaces;
  /** The directory of all mirrors. */
  directory: string;
  /** Where it is at its host, with a credential that is still good. @throws {CodeHostError} */
  remoteOf(repository: Repository, signal: AbortSignal): Promise<GitRemote>;
  bareOf(repository: Pick<Repository, 'id' | 'teamId'>): BareMirror;
}

/** A large team's first fetches must not take all of a worker's places. */
const FETCHES = 8;
const FETCHES_PER_TEAM = 4;
const MAX_WAITING = 8;
const BUSY_MS = 2_000;
const MAX_ERROR = 500;

/** Too many fetches at once; another attempt should come a little later. */
export class MirrorsBusy extends Error {
  override name = 'MirrorsBusy';
  /** Milliseconds. */
  readonly retryAfterMs = BUSY_MS * (1 + Math.random());
}

export const createFetchSlots = (): FairSlots =>
  createFairSlots({
    slots: FETCHES,
    slotsPerKey: FETCHES_PER_TEAM,
    maxWaitingPerKey: MAX_WAITING,
    maxWaiting: MAX_WAITING,
    busy: () => new MirrorsBusy('Too many repositories are fetched at once.'),
  });

/** What no repetition changes. */
const FINAL: ReadonlySet<CodeHostError['reason']> = new Set([
  'unauthorized',
  'forbidden',
  'not_found',
  'invalid',
  'conflict',
]);

/**
 * @returns `failed` when the host refuses for good
 * @throws {CodeHostError} `unavailable` or `limited`, which another attempt may change
 */
export async function syncMirror(
  deps: SyncDeps,
  { repositoryId: id, teamId }: RepositoryRef,
  signal: AbortSignal,
): Promise<SyncResult> {
  const em = forTeam(deps.orm.em, teamId);
  const row = await em.findOne(Repository, { id, integrationId: { $ne: null } });
  if (!row) return { status: 'gone', again: false, note: 'not connected any more' };
  const bare = deps.bareOf(row);
  try {
    const head = await fetchInto(deps, em, row, bare, signal);
    await collect(deps, bare, signal);
    return { status: 'current', again: await isWanted(em, id), note: head ?? 'no commits' };
  } catch (error) {
    signal.throwIfAborted();
    const note = messageOf(error);
    await em.nativeUpdate(Repository, { id }, { error: storableText(note.slice(0, MAX_ERROR)) });
    if (!(error instanceof CodeHostError) || !FINAL.has(error.reason)) throw error;
    return { status: 'failed', again: await isWanted(em, id), note };
  }
}

/** @returns the newest commit of the default branch; null if it has none */
export async function fetchInto(
  deps: SyncDeps,
  em: EntityManager,
  row: Repository,
  bare: BareMirror,
  signal: AbortSignal,
): Promise<string | null> {
  const { id } = row;
  const began = deps.clock.now();
  await assertDiskSpace([deps.directory]);
  // Before the fetch begins: whoever asks from here on needs another one.
  await em.nativeUpdate(Repository, { id }, { wantedAt: null });
  await bare.fetch(await deps.remoteOf(row, signal), signal);
  const head = (await bare.resolve(row.defaultBranch, signal)) ?? null;
  await show(deps, em, row, bare, head);
  const sizeBytes = await bare.size();
  await em.nativeUpdate(Repository, { id }, { head, syncedAt: began, sizeBytes, error: null });
  return head;
}

/** Never in the way of a mirror that is up to date: what failed is due again with the next fetch. */
async function collect({ clock, log }: SyncDeps, bare: BareMirror, signal: AbortSignal): Promise<void> {
  try {
    await bare.collect(clock.now().getTime(), signal);
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error, mirror: bare.gitDir }, 'a mirror could not be collected');
  }
}

async function isWanted(em: EntityManager, id: string): Promise<boolean> {
  return (await em.count(Repository, { id, wantedAt: { $ne: null } })) > 0;
}
