import type { EntityName, FilterQuery } from '@mikro-orm/core';
import type { EntityManager } from './orm.ts';

/** Rows may hold megabytes each. */
const PART_ROWS = 100;

/**
 * Deletes rows in small parts, each in a transaction of its own. One statement for very many rows would hold its locks
 * for long; and one that takes longer than a connection may be silent is undone, however often it is repeated. What is
 * deleted when this fails stays deleted: call it again.
 * @param em outside of a transaction, bound to the team of the rows
 * @param where an index must find these
 * @param signal ends it between two parts
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
