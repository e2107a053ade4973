import type { Orm } from '../../../db/orm.ts';
import { anyTeam } from '../../../db/team-filter.ts';
import type { EventLog } from '../../../platform/event-log/index.ts';
import { SatelliteRequest } from '../entities.ts';
import { replyStream } from './reply-stream.ts';

/** Interval between removals of streams, in ms: removing them one by one would cost as much as the requests. */
const INTERVAL_MS = 1_000;

/** Removes obsolete reply streams in batches. Those of a killed process expire. */
export class Leftovers {
  readonly #events: EventLog;
  #streams: string[] = [];

  constructor(events: EventLog) {
    this.#events = events;
  }

  add(stream: string): void {
    this.#streams.push(stream);
    if (this.#streams.length === 1) setTimeout(() => this.#remove(), INTERVAL_MS).unref();
  }

  #remove(): void {
    const streams = this.#streams;
    this.#streams = [];
    void this.#events.remove(streams).catch(() => undefined);
  }
}

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
