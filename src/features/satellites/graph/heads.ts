/** The state of all graphs of a team: one small query for any number of questions at a time. */
import { LRUCache } from 'lru-cache';
import type { Orm } from '../../../db/orm.ts';
import type { Clock } from '../../../platform/clock.ts';
import { routeOf } from '../liveness.ts';
import { poolOf } from './pool.ts';
import type { GraphSatellite } from './query/answer.ts';
import * as sql from './sql.ts';

/** `version` is absent where there is no graph. */
export type GraphHead = GraphSatellite & { version?: number };

export interface HeadReader {
  /** The team's satellites by name. At most as old as was agreed. */
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
  /** Of `performance.now()`; endless while the query runs: whoever asks then waits for the same answer. */
  until: number;
}

const MAX_TEAMS = 1_000;

/** @param freshMs how long an answer serves, in ms */
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
        // A failure is not remembered.
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
