import { openOrm } from './orm.ts';

/** Any constant works, as long as every migrating process uses the same one. */
const MIGRATION_LOCK = 4_117_009;

/**
 * Brings the schema up to date, on connections of its own: a migration may be silent for longer than the product's
 * queries. Safe to call from several processes at once: a PostgreSQL advisory lock lets one migrate while the others
 * wait. The migrations' transaction holds the lock, so a lost connection takes both with it and nobody migrates without
 * the lock. Every migration must be transactional.
 * @param say called once, when another process migrates and this one waits for it
 * @param connectTimeoutMs how long connecting may take; the ORM's own default otherwise, for tests
 * @throws the database's error when a migration fails; none of the pending ones are applied then
 */
export async function migrate(
  databaseUrl: string,
  say?: (message: string) => void,
  connectTimeoutMs?: number,
): Promise<void> {
  // One connection holds the lock and migrates; the migrator manages its table on the other.
  const orm = await openOrm({ databaseUrl, entities: [], poolSize: 2, silenceMs: 0, connectTimeoutMs });
  try {
    await orm.em.fork().transactional(async (em) => {
      const [row] = await em.execute<{ locked: boolean }[]>('select pg_try_advisory_xact_lock(?) as locked', [
        MIGRATION_LOCK,
      ]);
      if (!row?.locked) {
        say?.('Another process is migrating the schema; waiting for it.');
        await em.execute('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
      }
      // What a migration deferred is checked before the next one, which could not alter the tables otherwise.
      orm.migrator.on('migrating', async () => {
        await em.execute('set constraints all immediate');
        await em.execute('set constraints all deferred');
      });
      const transaction = em.getTransactionContext();
      await orm.migrator.up(transaction && { transaction });
    });
  } finally {
    await orm.close(true);
  }
}
