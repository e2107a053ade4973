import type { EntityManager } from '../../../db/orm.ts';
import type { EventLog } from '../../../platform/event-log/port.ts';
import { conversationStream } from '../../runs/index.ts';
import { AuxiliaryCall, Conversation, Message, ModelTurn, ToolCall } from '../../transcripts/index.ts';
import { MonitoringSession } from '../entities.ts';

/**
 * Deletes sessions with everything that was said and found in them, in the database and in the event log.
 * @param em bound to their team
 */
export async function purgeSessions(
  { events }: { events: EventLog },
  em: EntityManager,
  sessionIds: readonly string[],
): Promise<void> {
  const ids = [...sessionIds];
  if (ids.length === 0) return;
  const talked = await em.find(Conversation, { id: { $in: ids } }, { fields: ['id'] });
  // Before the rows: whoever repeats a deletion that was cut short must find the names.
  if (talked.length > 0) await events.remove(talked.map(({ id }) => conversationStream(id)));
  await em.transactional(async (tx) => {
    const said = { conversationId: { $in: talked.map(({ id }) => id) } };
    if (talked.length > 0) {
      // First: who still adds to it holds it, and who comes later finds it gone.
      await tx.nativeDelete(Conversation, { id: { $in: ids } });
      await tx.nativeDelete(ToolCall, said);
      await tx.nativeDelete(ModelTurn, said);
      await tx.nativeDelete(Message, said);
      await tx.nativeDelete(AuxiliaryCall, said);
    }
    await tx.nativeDelete(MonitoringSession, { id: { $in: ids } });
  });
}
