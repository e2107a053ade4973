import type { Orm } from '../../db/orm.ts';
import { anyTeam } from '../../db/team-filter.ts';
import { Effect } from './entities.ts';

/** Doubled after each attempt. */
const FIRST_PAUSE_SECONDS = 15;
const MAX_PAUSE_SECONDS = 3_600;
const MAX_AT_ONCE = 50;

/**
 * Pending effects of all teams that may be attempted now, at most 50: nobody is attempting them, the pause since their
 * last attempt is over, and so is the time before `notBefore` (Unix ms) in their payload, if it has one. Teams take
 * turns, and whatever has failed least often comes first, so that a receiver that is down does not hold up the others.
 * @param keyPrefix without wildcards
 */
export async function dueEffects(
  { em }: Pick<Orm, 'em'>,
  { kind, keyPrefix }: { kind: Effect['kind']; keyPrefix: string },
  now: Date,
): Promise<Effect[]> {
  const manager = em.fork();
  const due: { id: string }[] = await manager.execute(
    `select id from effects
      where kind = ? and status = 'pending' and starts_with(key, ?)
        and (leased_until is null or leased_until <= now())
        and coalesce((payload->>'notBefore')::bigint, 0) <= ?
        and (attempts = 0 or updated_at <= ?::timestamptz - least(?, ? * 2 ^ least(attempts - 1, 30)) * interval '1 second')
      order by row_number() over (partition by team_id order by attempts, created_at), attempts, created_at limit ?`,
    [kind, keyPrefix, now.getTime(), now, MAX_PAUSE_SECONDS, FIRST_PAUSE_SECONDS, MAX_AT_ONCE],
  );
  return manager.find(Effect, { id: { $in: due.map(({ id }) => id) } }, anyTeam);
}
