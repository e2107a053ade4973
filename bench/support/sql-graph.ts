/** The same graph in plain SQL: a table, an index per direction, a recursive query. */
import type { Orm } from '../../src/db/orm.ts';
import type { WireEdge } from '@casebook/wire';

export interface SqlGraph {
  /** Stores edges with a statement each, in one transaction. */
  insertOneByOne(edges: readonly WireEdge[]): Promise<void>;
  /** Takes over what a satellite sees. */
  fill(satelliteId: string): Promise<void>;
  /** How many services call this one, directly or not; without their depth, way or share. */
  callersOf(service: string): Promise<number>;
}

const CALLERS = `
  with recursive affected (service) as (
    select $1::text collate "C"
    union
    select e.caller from affected join bench_edges e on e.callee = affected.service
  )
  select count(*)::int as services from affected`;

/** Makes the table anew. */
export async function createSqlGraph(orm: Orm): Promise<SqlGraph> {
  const pool = await orm.em.getConnection().getNativeClient();
  await pool.query('drop table if exists bench_edges');
  await pool.query(`create table bench_edges (caller text collate "C", callee text collate "C", calls_per_second float8,
    error_ratio float8, p50_seconds float8, p95_seconds float8, stale boolean, primary key (caller, callee))`);
  await pool.query('create index on bench_edges (callee, caller)');
  return {
    async insertOneByOne(edges) {
      const client = await pool.connect();
      try {
        await client.query('begin');
        for (const edge of edges) {
          await client.query({
            name: 'insert-edge',
            text: 'insert into bench_edges values ($1, $2, $3, $4, $5, $6, $7)',
            values: [
              edge.caller,
              edge.callee,
              edge.callsPerSecond,
              edge.errorRatio,
              edge.p50Seconds,
              edge.p95Seconds,
              edge.stale,
            ],
          });
        }
        await client.query('commit');
      } finally {
        client.release();
      }
    },
    async fill(satelliteId) {
      await pool.query(
        `insert into bench_edges
         select caller, callee, calls_per_second, error_ratio, p50_seconds, p95_seconds, stale
         from satellite_graph_edges where satellite_id = $1 and not gone`,
        [satelliteId],
      );
      await pool.query('vacuum analyze bench_edges');
    },
    async callersOf(service) {
      const { rows } = await pool.query<{ services: number }>({ name: 'callers', text: CALLERS, values: [service] });
      return (rows[0]?.services ?? 0) - 1;
    },
  };
}
