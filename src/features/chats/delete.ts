import { deleteInParts } from '../../db/delete-in-parts.ts';
import type { EntityManager } from '../../db/orm.ts';
import type { EventLog } from '../../platform/event-log/port.ts';
import type { WorkspaceDrafts } from '../workspace/index.ts';
import { Run, runStream } from '../runs/index.ts';
import { purgeConversations } from '../transcripts/index.ts';
import { Chat, ChatTurn } from './entities.ts';

/**
 * Deletes a chat with everything that was said in it, in the database and in the event log. In steps that each stay
 * done: who was cut short begins again, and ends it.
 * @param em bound to the chat's team, outside of a transaction
 * @param signal cuts it short
 */
export async function purgeChat(
  { events, drafts }: { events: EventLog; drafts: WorkspaceDrafts },
  em: EntityManager,
  { id: chatId, teamId }: Pick<Chat, 'id' | 'teamId'>,
  signal?: AbortSignal,
): Promise<void> {
  const turns = await em.find(ChatTurn, { chatId }, { fields: ['id'] });
  // Before the rows: whoever repeats a deletion that was cut short must find the turns' names.
  await events.remove(turns.map(({ id }) => runStream({ conversationId: chatId, runId: id })));
  await drafts.forget(
    teamId,
    turns.map(({ id }) => id),
  );
  await purgeConversations(em, [chatId], () => deleteInParts(em, Run, { conversationId: chatId }, signal), signal);
  // Last: by its mark the sweeper finds what is left.
  await em.nativeDelete(Chat, { id: chatId }, { filters: { present: false } });
}
