/** Connects code hosts. */
import type { EntityManager } from '../../db/orm.ts';
import { CodeHostError } from '@casebook/connectors';
import { Conflict, DependencyDown } from '../../http/errors.ts';
import { CODE_HOST_FAMILIES, findOnly, Integration, notConnected } from '../integrations/index.ts';
import { Listing, Repository } from './entities.ts';
import { codeHostNotFound } from './errors.ts';
import { listRepositories, type Listed, type ListingDeps } from './listing.ts';

/** For the first listing while somebody waits; what is left follows in a sweep. */
const FIRST_LISTING_MS = 20_000;
const RESYNC_MS = 30_000;

/** The repositories of a host that has just been connected. It stays connected if they cannot be listed yet. */
export async function listFirst(
  deps: ListingDeps,
  em: EntityManager,
  row: Integration,
  signal: AbortSignal,
): Promise<Listed> {
  const timeout = AbortSignal.timeout(FIRST_LISTING_MS);
  try {
    return await listRepositories(deps, em, row, { signal: AbortSignal.any([signal, timeout]), again: 'refused' });
  } catch (error) {
    if (!(error instanceof CodeHostError) && !timeout.aborted) throw error;
    const words = error instanceof CodeHostError ? error.message : 'The repositories are still being listed.';
    await em.nativeUpdate(Listing, { integrationId: row.id }, { error: words, dueAt: deps.clock.now() });
    return { repositories: 0, webhooks: 0, error: words, webhookError: words };
  }
}

/**
 * Lists a host's repositories again, and wants every mirror fetched.
 * @returns how many mirrors are wanted
 * @throws {Conflict} `not_connected`, `needs_reconnect`
 * @throws {DependencyDown} `vendor_unreachable`
 */
export async function resyncGitLab(
  deps: ListingDeps,
  em: EntityManager,
  signal: AbortSignal,
): Promise<{ row: Integration; wanted: number }> {
  const row = await findOnly(em, 'codehost-b', 'gitlab');
  if (!row) throw notConnected('GitLab');
  const timeout = AbortSignal.timeout(RESYNC_MS);
  try {
    await listRepositories(deps, em, row, { signal: AbortSignal.any([signal, timeout]), again: 'all' });
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted)
      throw new DependencyDown('GitLab did not list its repositories in time.', 'vendor_unreachable');
    if (!(error instanceof CodeHostError)) throw error;
    const { reason, message, retryAfterMs } = error;
    if (reason === 'unauthorized' || reason === 'forbidden') throw new Conflict(message, 'needs_reconnect');
    const headers = { 'Retry-After': String(Math.ceil((retryAfterMs ?? 5_000) / 1000)) };
    throw new DependencyDown(message, 'vendor_unreachable', { headers });
  }
  const now = deps.clock.now();
  const wanted = await em.nativeUpdate(Repository, { integrationId: row.id }, { wantedAt: now, dueAt: now });
  return { row, wanted };
}

/** @throws {NotFound} also for another team's, and for integrations that are no code hosts */
export async function findHost(em: EntityManager, id: string): Promise<Integration> {
  const row = await em.findOne(Integration, {
    id,
    family: { $in: [...CODE_HOST_FAMILIES] },
    status: { $ne: 'pending' },
  });
  if (!row) throw codeHostNotFound();
  return row;
}
