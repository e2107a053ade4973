import { deleteInParts } from '../../../db/delete-in-parts.ts';
import type { EntityManager } from '../../../db/orm.ts';
import type { EventLog } from '../../../platform/event-log/port.ts';
import { conversationStream, Run } from '../../runs/index.ts';
import { AuxiliaryCall, Conversation, Message, ModelTurn, ToolCall } from '../../transcripts/index.ts';
import { MonitoringSession } from '../entities.ts';

/**
 * Deletes sessions with everything that was said and found in them, in the database and in the event log. In steps that
 * each stay done: who was cut short begins again, and ends it.
 * @param em bound to their team, outside of a transaction
 * @param signal cuts it short
 */
export async function purgeSessions(
  { events }: { events: EventLog },
  em: EntityManager,
  sessionIds: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const ids = [...sessionIds];
  if (ids.length === 0) return;
  const talked = await em.find(Conversation, { id: { $in: ids } }, { fields: ['id'] });
  // Before the rows: whoever repeats a deletion that was cut short must find the names.
  if (talked.length > 0) await events.remove(talked.map(({ id }) => conversationStream(id)));
  // First: who still adds to it holds it, and who comes later finds it gone.
  await deleteInParts(em, Conversation, { id: { $in: ids } }, signal);
  // Of all sessions: those without a conversation may have lost it to an attempt that was cut short.
  const said = { conversationId: { $in: ids } };
  await deleteInParts(em, ToolCall, said, signal);
  await deleteInParts(em, ModelTurn, said, signal);
  await deleteInParts(em, Message, said, signal);
  await deleteInParts(em, AuxiliaryCall, said, signal);
  await deleteInParts(em, Run, { id: { $in: ids } }, signal);
  await deleteInParts(em, MonitoringSession, { id: { $in: ids } }, signal);
}
