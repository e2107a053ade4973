import { openOrm } from './orm.ts';

/** Any constant does, as long as every process that migrates uses the same one. */
const MIGRATION_LOCK = 4_117_009;

/**
 * Brings the schema up to date, on connections of its own: a migration may be silent for longer than a query of the
 * product. Safe to call from several processes at once: a PostgreSQL advisory lock lets one migrate while the others
 * wait. The lock is held by the transaction of the migrations, so that a connection that is lost takes both with it, and
 * nobody migrates without the lock. Every migration must be one that a transaction allows.
 * @param say is told, once, when another process migrates and this one waits for it
 * @param connectTimeoutMs how long a connection may take to come about; the ORM's own unless given, for tests
 * @throws the database's error when a migration fails; nothing of those that were pending is applied then
 */
export async function migrate(
  databaseUrl: string,
  say?: (message: string) => void,
  connectTimeoutMs?: number,
): Promise<void> {
  // One connection has the lock and migrates; with the other the migrator looks after its table.
  const orm = await openOrm({ databaseUrl, entities: [], poolSize: 2, silenceMs: 0, connectTimeoutMs });
  try {
    await orm.em.fork().transactional(async (em) => {
      const [row] = await em.execute<{ locked: boolean }[]>('select pg_try_advisory_xact_lock(?) as locked', [
        MIGRATION_LOCK,
      ]);
      if (!row?.locked) {
        say?.('Another process is bringing the schema up to date; this one waits until it has.');
        await em.execute('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
      }
      const transaction = em.getTransactionContext();
      await orm.migrator.up(transaction && { transaction });
    });
  } finally {
    await orm.close(true);
  }
}
