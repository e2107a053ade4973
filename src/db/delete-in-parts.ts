import type { EntityName, FilterQuery } from '@mikro-orm/core';
import type { EntityManager } from './orm.ts';

/** Rows may hold megabytes each. */
const PART_ROWS = 100;

/**
 * Deletes rows in small batches, each in its own transaction. A single statement for a great many rows would hold its
 * locks for long; and if it outlasts the connection's idle timeout it is rolled back, however often it is retried. What
 * is deleted stays deleted if this fails: call it again.
 * @param em outside of a transaction, bound to the rows' team
 * @param where an index must cover these
 * @param signal stops between two batches
 */
export function deleteInParts<Entity extends { id: string }>(
  em: EntityManager,
  entity: EntityName<Entity>,
  where: FilterQuery<NoInfer<Entity>>,
  signal?: AbortSignal,
): Promise<void>;
export async function deleteInParts(
  em: EntityManager,
  entity: EntityName<{ id: string }>,
  where: FilterQuery<{ id: string }>,
  signal?: AbortSignal,
): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const rows = await em.fork().find(entity, where, { fields: ['id'], limit: PART_ROWS });
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) await em.nativeDelete(entity, { id: { $in: ids } });
    if (ids.length < PART_ROWS) return;
  }
}
