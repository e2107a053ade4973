/** Reads edges from PostgreSQL into tables. */
import type { Orm } from '../../../db/orm.ts';
import { inTransaction, ROLL_BACK } from './pool.ts';
import { applyChanges, emptyTable, type EdgeChange, type EdgeTable } from './query/table.ts';
import * as sql from './sql.ts';

/** A table, and the version of its graph. */
export interface VersionedTable {
  version: number;
  table: EdgeTable;
}

type Measured = number | null;
type Row = [
  caller: string,
  callee: string,
  callsPerSecond: Measured,
  errorRatio: Measured,
  p50Seconds: Measured,
  p95Seconds: Measured,
  sources: number,
  stale: boolean,
  seenAt: number,
  gone: boolean,
];

/** The result of a transaction: the changes since `base`, or all edges. */
interface Read {
  version: number;
  base: VersionedTable | undefined;
  rows: Row[];
}

/**
 * The current graph: reads the changes since `known`, or everything if that is missing or too old.
 * @returns undefined when there is no graph
 */
export async function readTable(
  orm: Orm,
  teamId: string,
  satelliteId: string,
  known: VersionedTable | undefined,
): Promise<VersionedTable | undefined> {
  const read = await inTransaction(
    orm,
    async (client): Promise<Read | undefined> => {
      const head = await client.query<{ version: number; completeSince: number }>(sql.versionSql, [
        satelliteId,
        teamId,
      ]);
      const [found] = head.rows;
      if (!found) return undefined;
      const { version, completeSince } = found;
      if (known?.version === version) return { version, base: known, rows: [] };
      const base = known && known.version >= completeSince && known.version < version ? known : undefined;
      const values = base ? [satelliteId, teamId, base.version] : [satelliteId, teamId];
      const text = base ? sql.changedEdgesSql : sql.allEdgesSql;
      const { rows } = await client.query<Row>({ text, values, rowMode: 'array' });
      return { version, base, rows };
    },
    // Version and rows must come from the same moment.
    'isolation level repeatable read read only',
  );
  if (read === ROLL_BACK || !read) return undefined;
  const { version, base, rows } = read;
  if (base?.version === version) return base;
  // Outside the transaction: a large graph takes a while, during which others may use the connection.
  return { version, table: applyChanges(base?.table ?? emptyTable(), rows.map(changeOf)) };
}

const measured = (value: Measured): number => value ?? Number.NaN;

function changeOf(row: Row): EdgeChange {
  const [caller, callee, callsPerSecond, errorRatio, p50Seconds, p95Seconds, sources, stale, seenAt, gone] = row;
  return {
    caller,
    callee,
    callsPerSecond: measured(callsPerSecond),
    errorRatio: measured(errorRatio),
    p50Seconds: measured(p50Seconds),
    p95Seconds: measured(p95Seconds),
    sources,
    stale,
    seenAt,
    gone,
  };
}
