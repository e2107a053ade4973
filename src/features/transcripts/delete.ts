import { deleteInParts } from '../../db/delete-in-parts.ts';
import type { EntityManager } from '../../db/orm.ts';
import { AuxiliaryCall, Conversation, Message, ModelTurn, ToolCall } from './entities.ts';

const withDeleted = { filters: { present: false } };

/**
 * Deletes conversations with everything that was said in them. In steps that each stay done: who was cut short begins
 * again, and ends it.
 * @param em bound to their team, outside of a transaction
 * @param purgeRuns deletes the runs in which it was said
 * @param signal cuts it short
 */
export async function purgeConversations(
  em: EntityManager,
  conversationIds: readonly string[],
  purgeRuns: () => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const ids = { $in: [...conversationIds] };
  // First: who still adds to one holds it, and who comes later finds it gone.
  await em.nativeUpdate(Conversation, { id: ids }, { deletedAt: new Date() });
  await purgeRuns();
  const said = { conversationId: ids };
  await deleteInParts(em, ToolCall, said, signal);
  await deleteInParts(em, ModelTurn, said, signal);
  await deleteInParts(em, Message, said, signal);
  await deleteInParts(em, AuxiliaryCall, said, signal);
  await em.nativeDelete(Conversation, { id: ids }, withDeleted);
}
