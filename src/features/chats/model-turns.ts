import type { EntityManager } from '../../db/orm.ts';
import { ModelTurn } from '../transcripts/index.ts';
import type { ChatTurn } from './entities.ts';

/** The model turns of a chat's turn, as far as it has come. */
export function modelTurnsOf(
  em: EntityManager,
  { chatId, firstStep, lastStep }: Pick<ChatTurn, 'chatId' | 'firstStep' | 'lastStep'>,
): Promise<ModelTurn[]> {
  const step = { $gte: firstStep, ...(lastStep !== null && { $lte: lastStep }) };
  return em.find(ModelTurn, { conversationId: chatId, step }, { orderBy: { step: 'asc' } });
}
