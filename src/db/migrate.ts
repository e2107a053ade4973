import pg from 'pg';
import type { Orm } from './orm.ts';

/** Any constant does, as long as every process that migrates uses the same one. */
const MIGRATION_LOCK = 4_117_009;

/**
 * Brings the schema up to date. Safe to call from several processes at once: a PostgreSQL advisory lock lets one
 * migrate while the others wait.
 * @throws the database's error when a migration fails; nothing of that migration is applied then
 */
export async function migrate(orm: Orm, databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await orm.migrator.up();
  } finally {
    await client.end();
  }
}
