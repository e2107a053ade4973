/** Checks every enabled integration every five minutes. A sweep of every worker: rows are claimed, so each is checked once. */
import pMap from 'p-map';
import { anyTeam, forTeam } from '../../db/team-filter.ts';
import { Integration } from './entities.ts';
import { check, nextCheck, type IntegrationServiceDeps } from './service.ts';

/** As many at once in one process; a system that hangs holds its place for 20 s. */
const CONCURRENCY = 8;
const MAX_CLAIMED = 40;

/** Consents that nobody gave are forgotten after a day. */
const PENDING_KEPT_MS = 24 * 3_600_000;

/** @returns how many were checked */
export async function checkDue(deps: IntegrationServiceDeps): Promise<number> {
  const { orm, clock } = deps;
  const now = clock.now();
  await orm.em
    .fork()
    .nativeDelete(
      Integration,
      { status: 'pending', createdAt: { $lt: new Date(now.getTime() - PENDING_KEPT_MS) } },
      anyTeam,
    );
  // Claimed before it is checked: a worker that is killed leaves it to the next interval.
  const claimed: { id: string; team_id: string }[] = await orm.em.fork().execute(
    `update integrations set due_at = ? where id in (
       select id from integrations where due_at <= ? and enabled and status in ('connected', 'failing')
       order by due_at limit ? for update skip locked)
     returning id, team_id`,
    [nextCheck(now), now, MAX_CLAIMED],
  );
  await pMap(
    claimed,
    async ({ id, team_id: teamId }) => {
      const em = forTeam(orm.em, teamId);
      const row = await em.fork().findOne(Integration, { id });
      if (row) await check(deps, em, row, AbortSignal.timeout(60_000));
    },
    { concurrency: CONCURRENCY, stopOnError: false },
  );
  return claimed.length;
}
