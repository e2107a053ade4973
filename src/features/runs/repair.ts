import { mapConcurrently } from '../../platform/concurrency.ts';
import type { Logger } from '../../platform/logger.ts';

/** Rows worked on at once: Temporal may take seconds to refuse one, and each may hold a connection meanwhile. */
const WIDTH = 8;

/**
 * Works on each of the rows that a sweep found. One that fails is logged with its facts: the others are not to wait for it,
 * and the next sweep finds it again.
 * @returns how many there were
 */
export async function repairEach<Row>(
  rows: readonly Row[],
  work: (row: Row) => Promise<void>,
  failed: { log: Logger; message: string; facts: (row: Row) => object },
): Promise<number> {
  await mapConcurrently(rows, WIDTH, async (row) => {
    try {
      await work(row);
    } catch (error) {
      failed.log.warn({ err: error, ...failed.facts(row) }, failed.message);
    }
  });
  return rows.length;
}
