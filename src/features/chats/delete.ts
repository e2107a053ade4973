import type { EntityManager } from '../../db/orm.ts';
import { AuxiliaryCall, Conversation, Message, ModelTurn, ToolCall } from '../transcripts/index.ts';
import { Chat, ChatTurn } from './entities.ts';

/** Deletes a chat with everything that was said in it. @param em bound to the chat's team */
export async function purgeChat(em: EntityManager, chatId: string): Promise<void> {
  await em.transactional(async (tx) => {
    const said = { conversationId: chatId };
    await tx.nativeDelete(ToolCall, said);
    await tx.nativeDelete(ModelTurn, said);
    await tx.nativeDelete(Message, said);
    await tx.nativeDelete(AuxiliaryCall, said);
    await tx.nativeDelete(ChatTurn, { chatId });
    await tx.nativeDelete(Conversation, { id: chatId });
    await tx.nativeDelete(Chat, { id: chatId }, { filters: { present: false } });
  });
}
