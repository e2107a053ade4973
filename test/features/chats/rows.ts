import type { EntityManager } from '../../../src/db/orm.ts';
import { Chat } from '../../../src/features/chats/index.ts';
import { Conversation } from '../../../src/features/transcripts/index.ts';

/** Makes the rows that a chat's turns belong to; flushing is the caller's. */
export function createChatRows(em: EntityManager, teamId: string, id: string, columns: Partial<Chat> = {}): void {
  em.create(Chat, {
    id,
    teamId,
    title: 'Why?',
    titledBy: 'question',
    createdByCredentialId: null,
    createdByUserId: null,
    investigationId: null,
    lastTurnAt: new Date(),
    ...columns,
  });
  em.create(Conversation, { id, teamId, kind: 'chat', opening: null, result: null, summary: null });
}
