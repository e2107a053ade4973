import { deleteInParts } from '../../../db/delete-in-parts.ts';
import type { EntityManager } from '../../../db/orm.ts';
import type { EventLog } from '../../../platform/event-log/port.ts';
import { conversationStream, purgeRuns } from '../../runs/index.ts';
import { Conversation, purgeConversations } from '../../transcripts/index.ts';
import { MonitoringSession } from '../entities.ts';

/**
 * Deletes sessions with their conversations and evidence, from the database and the event log. Works in steps that can
 * be repeated: an interrupted deletion starts over and completes.
 * @param em bound to their team, outside of a transaction
 * @param signal aborts it
 */
export async function purgeSessions(
  { events }: { events: EventLog },
  em: EntityManager,
  sessionIds: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const ids = [...sessionIds];
  if (ids.length === 0) return;
  const talked = await em.find(Conversation, { id: { $in: ids } }, { fields: ['id'], filters: { present: false } });
  // Before the rows, so that a repeated deletion still finds the names.
  if (talked.length > 0) await events.remove(talked.map(({ id }) => conversationStream(id)));
  await purgeConversations(em, ids, () => purgeRuns(em, ids, signal), signal);
  await deleteInParts(em, MonitoringSession, { id: { $in: ids } }, signal);
}
