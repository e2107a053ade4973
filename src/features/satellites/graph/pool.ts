/** The ORM's own connections, without the ORM: for statements with arrays of thousands of values. */
import type pg from 'pg';
import type { Orm } from '../../../db/orm.ts';

/**
 * Runs `work` in its own transaction, which commits unless it resolves to `ROLL_BACK`.
 * @param mode of the transaction, for example `isolation level repeatable read read only`
 * @throws the database's error, or what `work` throws; nothing is written then
 */
export async function inTransaction<T>(
  orm: Orm,
  work: (client: pg.PoolClient) => Promise<T | typeof ROLL_BACK>,
  mode = '',
): Promise<T | typeof ROLL_BACK> {
  const client = await (await poolOf(orm)).connect();
  let lost: Error | undefined;
  try {
    await client.query(`begin ${mode}`);
    const result = await work(client);
    await client.query(result === ROLL_BACK ? 'rollback' : 'commit');
    return result;
  } catch (error) {
    // A connection whose transaction could not be ended is not reusable.
    await client.query('rollback').catch((failure: unknown) => (lost = asError(failure)));
    throw error;
  } finally {
    client.release(lost);
  }
}

/** Returned by a transaction's work to leave everything unchanged. */
export const ROLL_BACK = Symbol('roll back');

export const poolOf = (orm: Orm): Promise<pg.Pool> => orm.em.getConnection().getNativeClient();

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
