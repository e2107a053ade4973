import { anyTeam } from '../../db/team-filter.ts';
import type { Orm } from '../../db/orm.ts';
import type { EventLog } from '../../platform/event-log/index.ts';
import { replyStream } from './calls/reply-stream.ts';
import { SatelliteRequest } from './entities.ts';

const MAX_AT_ONCE = 500;

/** Deletes satellites' answers to runs from before a given time; the runs have long stored them. */
export async function purgeSatelliteRequests(orm: Orm, events: EventLog, before: Date): Promise<void> {
  for (;;) {
    const em = orm.em.fork();
    const rows = await em.find(SatelliteRequest, { createdAt: { $lt: before } }, { ...anyTeam, limit: MAX_AT_ONCE });
    if (rows.length === 0) return;
    await events.remove(rows.map(({ id }) => replyStream(id)));
    await em.nativeDelete(SatelliteRequest, { id: { $in: rows.map(({ id }) => id) } }, anyTeam);
  }
}
