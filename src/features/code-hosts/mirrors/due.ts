/** Compares mirrors with their hosts from time to time, so that a webhook that never came is noticed. */
import pMap from 'p-map';
import { anyTeam, forTeam } from '../../../db/team-filter.ts';
import { messageOf } from '../../../platform/message-of.ts';
import { Repository } from '../entities.ts';
import type { SyncDeps } from './sync.ts';
import { recordWanted, startMirrors, type WantDeps } from './want.ts';

/** With a webhook, and without one. */
const COMPARE_EVERY_MS = 15 * 60_000;
const POLL_EVERY_MS = 2 * 60_000;
/** Spreads repositories that were connected together. */
const JITTER = 0.2;

const CONCURRENCY = 4;
const MAX_CLAIMED = 40;
const COMPARE_TIMEOUT_MS = 60_000;

/** When a repository is next compared with its host. */
export function nextComparison(now: Date, hasWebhook: boolean): Date {
  const everyMs = hasWebhook ? COMPARE_EVERY_MS : POLL_EVERY_MS;
  return new Date(now.getTime() + everyMs * (1 + JITTER * (Math.random() * 2 - 1)));
}

/** A sweep of every worker: rows are claimed, so each is compared once. @returns how many were compared */
export async function compareDue(deps: SyncDeps & WantDeps): Promise<number> {
  const { orm, clock, log } = deps;
  const now = clock.now();
  // Claimed before it is compared: a worker that is killed leaves it to the next interval.
  const claimed: { id: string }[] = await orm.em.fork().execute(
    `update repositories set due_at = case when webhook_id is null then ?::timestamptz else ?::timestamptz end
      where id in (
        select r.id from repositories r join integrations i on i.id = r.integration_id
         where r.due_at <= ? and i.enabled and i.status in ('connected', 'failing')
         order by r.due_at limit ? for update of r skip locked)
     returning id`,
    [nextComparison(now, false), nextComparison(now, true), now, MAX_CLAIMED],
  );
  const rows = await orm.em.fork().find(Repository, { id: { $in: claimed.map(({ id }) => id) } }, anyTeam);
  await pMap(
    rows,
    async (row) => {
      try {
        if (await isCurrent(deps, row)) return;
        await recordWanted(forTeam(orm.em, row.teamId), [row], clock.now());
        // Also if it was recorded before: it may be waiting for the sweep, and a further signal costs one fetch.
        await startMirrors(deps, [row]);
      } catch (error) {
        // The host is away; the check of its integration tells people.
        log.info({ reason: messageOf(error), repositoryId: row.id }, 'a mirror could not be compared with its host');
      }
    },
    { concurrency: CONCURRENCY, stopOnError: false },
  );
  return rows.length;
}

async function isCurrent({ remoteOf, bareOf }: SyncDeps, row: Repository): Promise<boolean> {
  // It never came, or failed: the workflow says better why than a comparison.
  if (row.syncedAt === null || row.error !== null) return false;
  const signal = AbortSignal.timeout(COMPARE_TIMEOUT_MS);
  return bareOf(row).isCurrent(await remoteOf(row, signal), signal);
}
