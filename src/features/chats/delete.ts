import type { EntityManager } from '../../db/orm.ts';
import type { EventLog } from '../../platform/event-log/port.ts';
import type { WorkspaceDrafts } from '../workspace/index.ts';
import { runStream } from '../runs/index.ts';
import { AuxiliaryCall, Conversation, Message, ModelTurn, ToolCall } from '../transcripts/index.ts';
import { Chat, ChatTurn } from './entities.ts';

/**
 * Deletes a chat with everything that was said in it, in the database and in the event log.
 * @param em bound to the chat's team
 */
export async function purgeChat(
  { events, drafts }: { events: EventLog; drafts: WorkspaceDrafts },
  em: EntityManager,
  { id: chatId, teamId }: Pick<Chat, 'id' | 'teamId'>,
): Promise<void> {
  const turns = await em.find(ChatTurn, { chatId }, { fields: ['id'] });
  // Before the rows: whoever repeats a deletion that was cut short must find the turns' names.
  await events.remove(turns.map(({ id }) => runStream({ conversationId: chatId, runId: id })));
  await drafts.forget(
    teamId,
    turns.map(({ id }) => id),
  );
  await em.transactional(async (tx) => {
    const said = { conversationId: chatId };
    // First: who still adds to it holds it, and who comes later finds it gone.
    await tx.nativeDelete(Conversation, { id: chatId });
    await tx.nativeDelete(ToolCall, said);
    await tx.nativeDelete(ModelTurn, said);
    await tx.nativeDelete(Message, said);
    await tx.nativeDelete(AuxiliaryCall, said);
    await tx.nativeDelete(ChatTurn, { chatId });
    await tx.nativeDelete(Chat, { id: chatId }, { filters: { present: false } });
  });
}
