/** The state of all graphs of a team: one small query serves any number of concurrent questions. */
import { LRUCache } from 'lru-cache';
import type { Orm } from '../../../db/orm.ts';
import type { Clock } from '../../../platform/clock.ts';
import { routeOf } from '../liveness.ts';
import { poolOf } from './pool.ts';
import type { GraphSatellite } from './query/answer.ts';
import * as sql from './sql.ts';

/** `version` is absent without a graph. */
export type GraphHead = GraphSatellite & { version?: number };

export interface HeadReader {
  /** The team's satellites by name, at most `freshMs` old. */
  read(teamId: string): Promise<readonly GraphHead[]>;
}

interface Row {
  id: string;
  name: string;
  instance: string;
  connectionId: string | null;
  inbox: string | null;
  lastHeartbeatAt: number;
  version: number | null;
  edges: number | null;
  truncated: boolean | null;
  asOf: number | null;
}

interface Entry {
  heads: Promise<readonly GraphHead[]>;
  /** By `performance.now()`; infinite while the query runs, so that concurrent callers share its answer. */
  until: number;
}

const MAX_TEAMS = 1_000;

/** @param freshMs how long an answer is reused, in ms */
export function createHeadReader(orm: Orm, clock: Clock, freshMs: number): HeadReader {
  const entries = new LRUCache<string, Entry>({ max: MAX_TEAMS });

  async function query(teamId: string): Promise<readonly GraphHead[]> {
    const { rows } = await (await poolOf(orm)).query<Row>(sql.headsSql, [teamId]);
    return rows.map((row) => headOf(row, clock.now()));
  }

  return {
    read(teamId) {
      const known = entries.get(teamId);
      if (known && performance.now() < known.until) return known.heads;
      const entry: Entry = { heads: query(teamId), until: Number.POSITIVE_INFINITY };
      entries.set(teamId, entry);
      entry.heads.then(
        () => (entry.until = performance.now() + freshMs),
        // Failures are not cached.
        () => (entry.until = 0),
      );
      return entry.heads;
    },
  };
}

function headOf(row: Row, now: Date): GraphHead {
  const { id, name, version, edges, truncated, asOf } = row;
  const online = routeOf({ ...row, lastHeartbeatAt: new Date(row.lastHeartbeatAt) }, now) !== undefined;
  const satellite = { id, name, online, edges: edges ?? 0, truncated: truncated ?? false };
  return version === null || asOf === null ? satellite : { ...satellite, version, asOf: new Date(asOf) };
}
