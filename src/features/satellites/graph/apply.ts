/** Writes a snapshot or delta to PostgreSQL, all or nothing. */
import type pg from 'pg';
import type { Orm } from '../../../db/orm.ts';
import { MAX_EDGES, type WireEdge } from '@casebook/wire';
import { keyOf, type Batch } from './batch.ts';
import { inTransaction, ROLL_BACK } from './pool.ts';
import { sourceBits } from './sources.ts';
import * as sql from './sql.ts';

/** Per statement: few enough to block neither the server nor the event loop for long. */
const EDGES_AT_ONCE = 10_000;
/** With more tombstones than this, they are deleted between snapshots as well: readers that far behind start over. */
const MAX_TOMBSTONES = 10_000;

export interface GraphOrigin {
  satelliteId: string;
  teamId: string;
  connectionId: string;
}

interface Head {
  epoch: string;
  seq: number;
  version: number;
  complete_since: number;
  edges: number;
  tombstones: number;
  truncated: boolean;
}

/**
 * @param now our clock, when the batch was complete
 * @returns `resync` when a delta does not continue the stored graph; otherwise `ok`, even if nothing was stored because
 *   the satellite was deleted or has reconnected since: the other connection then sends what matters
 */
export async function applyBatch(orm: Orm, origin: GraphOrigin, batch: Batch, now: Date): Promise<'ok' | 'resync'> {
  let answer: 'ok' | 'resync' = 'ok';
  await inTransaction(orm, async (client) => {
    const { satelliteId, teamId, connectionId } = origin;
    const held = await client.query(sql.holdSatelliteSql, [satelliteId, teamId, connectionId]);
    if (held.rowCount === 0) return ROLL_BACK;
    const head = await lockHead(client, origin, batch);
    if (!head) {
      answer = 'resync';
      return ROLL_BACK;
    }
    const next = await writeEdges(client, origin, batch, head, now);
    const written = await client.query(sql.writeHeadSql, [
      satelliteId,
      teamId,
      connectionId,
      batch.epoch,
      batch.lastSeq,
      next.version,
      next.complete_since,
      now.toISOString(),
      next.edges,
      next.tombstones,
      next.truncated,
    ]);
    return written.rowCount === 0 ? ROLL_BACK : undefined;
  });
  return answer;
}

/** @returns undefined when the batch is a delta of another graph than the one stored */
async function lockHead(client: pg.PoolClient, origin: GraphOrigin, batch: Batch): Promise<Head | undefined> {
  const { satelliteId, teamId } = origin;
  if (batch.kind === 'snapshot') {
    return (await client.query<Head>(sql.makeHeadSql, [satelliteId, teamId, batch.epoch])).rows[0];
  }
  const head = (await client.query<Head>(sql.lockHeadSql, [satelliteId, teamId])).rows[0];
  return head?.epoch === batch.epoch && head.seq + 1 === batch.firstSeq ? head : undefined;
}

async function writeEdges(
  client: pg.PoolClient,
  { satelliteId, teamId }: GraphOrigin,
  batch: Batch,
  head: Head,
  now: Date,
): Promise<Omit<Head, 'epoch' | 'seq'>> {
  const isSnapshot = batch.kind === 'snapshot';
  const gone = isSnapshot ? await goneSince(client, satelliteId, head, batch) : [...batch.gone.values()];
  // A version marks a change: after a delta that only confirms, readers have nothing to read.
  const version = batch.edges.size + gone.length > 0 ? head.version + 1 : head.version;
  let { edges, tombstones, complete_since } = head;
  let truncated = batch.truncated || (!isSnapshot && head.truncated);
  const buried = (count: number | null): void => {
    edges -= count ?? 0;
    tombstones += count ?? 0;
  };
  for (const some of chunks(gone)) {
    const [callers, callees] = [some.map(([caller]) => caller), some.map(([, callee]) => callee)];
    buried((await client.query(sql.removeEdgesSql, [satelliteId, version, callers, callees])).rowCount);
  }
  for (const some of chunks([...batch.edges.values()])) {
    const values = [satelliteId, teamId, version, now.toISOString(), ...columnsOf(some)];
    const { rows } = await client.query<{ live: number; tombstones: number }>(sql.upsertEdgesSql, values);
    const known = rows[0] ?? { live: 0, tombstones: 0 };
    edges += some.length - known.live;
    tombstones -= known.tombstones;
  }
  if (edges > MAX_EDGES) {
    truncated = true;
    buried((await client.query(sql.removeLeastCalledSql, [satelliteId, version, edges - MAX_EDGES])).rowCount);
  }
  if (tombstones > MAX_TOMBSTONES || (isSnapshot && tombstones > 0)) {
    tombstones -= (await client.query(sql.purgeSql, [satelliteId, version])).rowCount ?? 0;
    complete_since = version - 1;
  }
  return { version, complete_since, edges, tombstones, truncated };
}

/** Stored edges that the snapshot lacks. */
async function goneSince(
  client: pg.PoolClient,
  satelliteId: string,
  head: Head,
  snapshot: Batch,
): Promise<[string, string][]> {
  if (head.edges === 0) return [];
  const query = { text: sql.liveKeysSql, values: [satelliteId], rowMode: 'array' as const };
  const { rows } = await client.query<[string, string]>(query);
  return rows.filter(([caller, callee]) => !snapshot.edges.has(keyOf(caller, callee)));
}

/** In the form that {@link sql.upsertEdgesSql} takes. */
function columnsOf(edges: readonly WireEdge[]): unknown[][] {
  return [
    edges.map(({ caller }) => caller),
    edges.map(({ callee }) => callee),
    edges.map(({ callsPerSecond }) => callsPerSecond ?? null),
    edges.map(({ errorRatio }) => errorRatio ?? null),
    edges.map(({ p50Seconds }) => p50Seconds ?? null),
    edges.map(({ p95Seconds }) => p95Seconds ?? null),
    edges.map(({ sources }) => sourceBits(sources)),
    edges.map(({ stale }) => stale),
    edges.map(({ seenAgoMs }) => Math.min(seenAgoMs, OLDEST_MS)),
  ];
}

/** Caps ages at ten years: a satellite's value must remain a valid time in PostgreSQL. */
const OLDEST_MS = 10 * 365 * 86_400_000;

function* chunks<T>(items: readonly T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += EDGES_AT_ONCE) yield items.slice(from, from + EDGES_AT_ONCE);
}
