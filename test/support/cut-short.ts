import assert from 'node:assert/strict';
import { untilWaiting, type TestDatabase } from './database.ts';

/**
 * Lets a work go on until it wants rows that somebody else holds, and ends its connection there, as when its process is
 * killed. What it was doing then is undone; what it committed before stays.
 * @param held selects the rows
 */
export async function cutShort(database: TestDatabase, held: string, work: () => Promise<unknown>): Promise<void> {
  const holder = database.orm.em.fork();
  await holder.begin();
  try {
    const rows = await holder.execute<unknown[]>(`${held} for update`);
    assert.ok(rows.length > 0, 'there is something to hold');
    const cut = assert.rejects(work());
    await untilWaiting(database, 1);
    await database.orm.em
      .fork()
      .execute(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
    await cut;
  } finally {
    await holder.rollback();
  }
}
