import pg from 'pg';
import { openOrm } from './orm.ts';

/** Any constant does, as long as every process that migrates uses the same one. */
const MIGRATION_LOCK = 4_117_009;

/**
 * Brings the schema up to date, on connections of its own: a migration may be silent for longer than a query of the
 * product. Safe to call from several processes at once: a PostgreSQL advisory lock lets one migrate while the others
 * wait.
 * @throws the database's error when a migration fails; nothing of that migration is applied then
 */
export async function migrate(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  // A server that dies while this waits is reported here as well as by the query in flight.
  client.on('error', () => undefined);
  await client.connect();
  const orm = await openOrm({ databaseUrl, poolSize: 1, silenceMs: 0 });
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await orm.migrator.up();
  } finally {
    await orm.close(true);
    await client.end();
  }
}
