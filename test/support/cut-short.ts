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
    const blocked = `select pid, pg_terminate_backend(pid) from pg_stat_activity where ? = any(pg_blocking_pids(pid))`;
    const pidsOf = async (sql: string, value: unknown): Promise<number[]> =>
      (await database.orm.em.fork().execute<{ pid: number }[]>(sql, [value])).map(({ pid }) => pid);
    const cut = async (): Promise<number[] | undefined> => {
      const pids = await pidsOf(blocked, own!.pid);
      return pids.length > 0 ? pids : undefined;
    };
    const pids = await waitUntil(cut, { what: 'the work to wait for the rows', intervalMs: 20 });
    assert.equal(await ended, 'cut');
    // A session that ends still holds its locks after its client was told.
    const ending = 'select pid from pg_stat_activity where pid = any(?::int[])';
    const gone = async () => (await pidsOf(ending, `{${pids.join(',')}}`)).length === 0 || undefined;
    await waitUntil(gone, { what: 'the session to end', intervalMs: 20 });
  } finally {
    await holder.rollback();
  }
}
