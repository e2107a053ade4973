import assert from 'node:assert/strict';
import type { TestDatabase } from './database.ts';
import { waitUntil } from './wait-until.ts';

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
    const [own] = await holder.execute<{ pid: number }[]>('select pg_backend_pid() as pid');
    const ended = work().then(
      () => 'done',
      () => 'cut',
    );
    // Others may wait for locks as well, such as autovacuum.
    const blocked = `select pg_terminate_backend(pid) from pg_stat_activity where ? = any(pg_blocking_pids(pid))`;
    const cut = async (): Promise<true | undefined> =>
      (await database.orm.em.fork().execute<unknown[]>(blocked, [own!.pid])).length > 0 || undefined;
    await waitUntil(cut, { what: 'the work to wait for the rows', intervalMs: 20 });
    assert.equal(await ended, 'cut');
  } finally {
    await holder.rollback();
  }
}
