/** Asks for newer commits: first in the row, then in Temporal. A sweep asks again for what Temporal did not hear of. */
import type { EntityManager, Orm } from '../../../db/orm.ts';
import { anyTeam, forTeam } from '../../../db/team-filter.ts';
import type { Clock } from '../../../platform/clock.ts';
import { mapConcurrently } from '../../../platform/concurrency.ts';
import type { Logger } from '../../../platform/logger.ts';
import { Repository } from '../entities.ts';
import type { MirrorLauncher } from '../launch.ts';

export interface WantDeps {
  orm: Orm;
  clock: Clock;
  log: Logger;
  launcher: MirrorLauncher;
}

export type WantedRepository = Pick<Repository, 'id' | 'teamId' | 'fullName'>;

const WIDTH = 8;

/**
 * Records that newer commits are wanted. To be followed by {@link startMirrors} once this is committed.
 * @param em bound to the team, maybe in a transaction
 * @returns those for which it is news: no fetch that has yet to begin brings them anyway
 */
export async function recordWanted<One extends WantedRepository>(
  em: EntityManager,
  repositories: readonly One[],
  now: Date,
): Promise<One[]> {
  const ids = repositories.map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows: { id: string }[] = await em.execute(
    `update repositories set wanted_at = ? where id in (${ids.map(() => '?').join(', ')}) and wanted_at is null
     returning id`,
    [now, ...ids],
  );
  const news = new Set(rows.map(({ id }) => id));
  return repositories.filter(({ id }) => news.has(id));
}

/** Starts or signals the workflows. Leaves what Temporal does not accept to the sweep. */
export async function startMirrors(
  { launcher, log }: WantDeps,
  repositories: readonly WantedRepository[],
): Promise<void> {
  await mapConcurrently(repositories, WIDTH, async (repository) => {
    try {
      await launcher.want(repository);
    } catch (error) {
      log.warn({ err: error, repositoryId: repository.id }, 'could not start a mirror; the sweep will retry');
    }
  });
}

/** Both, outside of a transaction. */
export async function wantMirrors(deps: WantDeps, repositories: readonly WantedRepository[]): Promise<void> {
  const byTeam = Map.groupBy(repositories, ({ teamId }) => teamId);
  for (const [teamId, some] of byTeam)
    await startMirrors(deps, await recordWanted(forTeam(deps.orm.em, teamId), some, deps.clock.now()));
}

const GRACE_MS = 5_000;
const BATCH = 50;

/**
 * Starts what was committed and not started, and what was lost. Several workers may sweep at once. @returns how many rows it
 * looked at
 */
export async function sweepWanted(deps: WantDeps, { graceMs = GRACE_MS, batch = BATCH } = {}): Promise<number> {
  const { orm, clock, log, launcher } = deps;
  const now = clock.now();
  const before = new Date(now.getTime() - graceMs);
  // Claimed by touching: what is under way is looked at again after as long.
  const claimed: { id: string }[] = await orm.em.fork().execute(
    `update repositories set updated_at = ? where id in (
       select id from repositories where wanted_at < ? and updated_at < ? and integration_id is not null
       order by updated_at limit ? for update skip locked)
     returning id`,
    [now, before, before, batch],
  );
  const rows = await orm.em.fork().find(Repository, { id: { $in: claimed.map(({ id }) => id) } }, anyTeam);
  await mapConcurrently(rows, WIDTH, async (row) => {
    try {
      if ((await launcher.state(row.id)) !== 'running') await launcher.want(row);
    } catch (error) {
      log.warn({ err: error, repositoryId: row.id }, 'could not start a mirror; the next sweep will retry');
    }
  });
  return rows.length;
}
