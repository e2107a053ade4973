import { mapConcurrently } from '../../platform/concurrency.ts';
import type { Logger } from '../../platform/logger.ts';

/** Rows processed at once: Temporal may take seconds to refuse one, and each may hold a connection meanwhile. */
const WIDTH = 8;

/**
 * Processes each row that a sweep found. A failure is logged and does not hold up the others; the next sweep finds the
 * row again.
 * @returns how many rows there were
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
