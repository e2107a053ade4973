import type { Client } from 'pg';

/** Database load of the product since the server started. */
export interface DatabaseLoad {
  statements: number;
  /** Write-ahead log, bytes. */
  walBytes: number;
}

/** Needs `shared_preload_libraries = pg_stat_statements`; its own statements are left out. */
export async function databaseLoad(database: Client): Promise<DatabaseLoad> {
  await database.query('create extension if not exists pg_stat_statements');
  const { rows } = await database.query<{ statements: string; wal: string }>(
    `select coalesce(sum(calls) filter (where query not like '%pg_stat_statements%'), 0) as statements,
            pg_current_wal_lsn() - '0/0'::pg_lsn as wal from pg_stat_statements`,
  );
  return { statements: Number(rows[0]?.statements), walBytes: Number(rows[0]?.wal) };
}

/** The statements that were called most since the last reset. */
export async function topStatements(database: Client, count: number): Promise<{ query: string; calls: number }[]> {
  const { rows } = await database.query<{ query: string; calls: string }>(
    `select left(regexp_replace(query, '\\s+', ' ', 'g'), 110) as query, calls from pg_stat_statements
      where query not like '%pg_stat_statements%' order by pg_stat_statements.calls desc limit $1`,
    [count],
  );
  return rows.map(({ query, calls }) => ({ query, calls: Number(calls) }));
}
