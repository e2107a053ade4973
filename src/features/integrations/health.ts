/** Checks every enabled integration every five minutes. A sweep of every worker: rows are claimed, so each is checked once. */
import type { EntityManager } from '../../db/orm.ts';
import { anyTeam, forTeam } from '../../db/team-filter.ts';
import { untilAborted } from '../../platform/concurrency.ts';
import { Integration } from './entities.ts';
import { check, nextCheck, type IntegrationServiceDeps } from './service.ts';

/** As many at once in one process; a system that hangs holds its place for 20 s. */
const CONCURRENCY = 8;
/** And as many of one team, so that its dead hosts leave room for the others. */
const PER_TEAM = 4;
/** A sweep begins no check after so long: those that hang then end it, and the next one looks at all that is due. */
const ROUND_MS = 10_000;

/** Consents that nobody gave are forgotten after a day. */
const PENDING_KEPT_MS = 24 * 3_600_000;

/**
 * @param signal ends it at once; what was being checked is due again after an interval
 * @returns how many were checked
 */
export async function checkDue(deps: IntegrationServiceDeps, signal: AbortSignal): Promise<number> {
  const { orm, clock } = deps;
  const created = { $lt: new Date(clock.now().getTime() - PENDING_KEPT_MS) };
  await orm.em.fork().nativeDelete(Integration, { status: 'pending', createdAt: created }, anyTeam);

  const until = performance.now() + ROUND_MS;
  /** Of each check that is under way, its team. */
  const teams: string[] = [];
  let checked = 0;
  const mayTake = (teamId: string): boolean => teams.filter((one) => one === teamId).length < PER_TEAM;
  let claiming: Promise<unknown> = Promise.resolve();
  /** One after the other, so that each knows what the others have taken. */
  const next = (): Promise<Claimed | undefined> => {
    const claimed = claiming.then(async () => {
      const busy = [...new Set(teams)];
      // A team that waits comes before the next one of a team that is being checked.
      const row =
        (await claim(orm.em.fork(), clock.now(), busy)) ??
        (await claim(
          orm.em.fork(),
          clock.now(),
          busy.filter((teamId) => !mayTake(teamId)),
        ));
      if (row) teams.push(row.team_id);
      return row;
    });
    claiming = claimed.catch(() => undefined);
    return claimed;
  };
  const work = async (): Promise<void> => {
    while (!signal.aborted && performance.now() < until) {
      const claimed = await next();
      if (!claimed) return;
      const { id, team_id: teamId } = claimed;
      try {
        const em = forTeam(orm.em, teamId);
        const row = await em.fork().findOne(Integration, { id });
        const either = AbortSignal.any([signal, AbortSignal.timeout(60_000)]);
        // Not every client hears the signal while it connects.
        if (row) await untilAborted(check(deps, em, row, either), either);
        checked++;
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        teams.splice(teams.indexOf(teamId), 1);
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: CONCURRENCY }, work));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
  return checked;
}

interface Claimed {
  id: string;
  team_id: string;
}

/** Claimed before it is checked: a worker that is killed leaves it to the next interval. */
async function claim(em: EntityManager, now: Date, fullTeams: readonly string[]): Promise<Claimed | undefined> {
  const [row] = await em.execute<Claimed[]>(
    `update integrations set due_at = ? where id = (
       select id from integrations
        where due_at <= ? and enabled and status in ('connected', 'failing') and not (team_id = any(?::uuid[]))
        order by due_at limit 1 for update skip locked)
     returning id, team_id`,
    [nextCheck(now), now, `{${fullTeams.join(',')}}`],
  );
  return row;
}
