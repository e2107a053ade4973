import type { EntityManager } from '../../db/orm.ts';
import type { EventLog } from '../../platform/event-log/port.ts';
import type { WorkspaceDrafts } from '../workspace/index.ts';
import { purgeRuns, runStream } from '../runs/index.ts';
import { purgeConversations } from '../transcripts/index.ts';
import { Chat, ChatTurn } from './entities.ts';

/**
 * Deletes a chat and everything said in it, from the database and the event log, in steps that each persist: an
 * interrupted deletion resumes.
 * @param em bound to the chat's team, outside of a transaction
 * @param signal aborts it
 */
export async function purgeChat(
  { events, drafts }: { events: EventLog; drafts: WorkspaceDrafts },
  em: EntityManager,
  { id: chatId, teamId }: Pick<Chat, 'id' | 'teamId'>,
  signal?: AbortSignal,
): Promise<void> {
  const turns = await em.find(ChatTurn, { chatId }, { fields: ['id'] });
  // Before the rows: a resumed deletion needs the turns' names.
  await events.remove(turns.map(({ id }) => runStream({ conversationId: chatId, runId: id })));
  await drafts.forget(
    teamId,
    turns.map(({ id }) => id),
  );
  await purgeConversations(em, [chatId], () => purgeRuns(em, [chatId], signal), signal);
  // Last: the sweeper finds leftovers by this mark.
  await em.nativeDelete(Chat, { id: chatId }, { filters: { present: false } });
}
