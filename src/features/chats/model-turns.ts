import type { EntityManager } from '../../db/orm.ts';
import { ModelTurn } from '../transcripts/index.ts';
import type { ChatTurn } from './entities.ts';
import { usageOf, type ChatUsage } from './usage.ts';

type Steps = Pick<ChatTurn, 'chatId' | 'firstStep' | 'lastStep'>;

const stepsOf = ({ chatId, firstStep, lastStep }: Steps) => ({
  conversationId: chatId,
  step: { $gte: firstStep, ...(lastStep !== null && { $lte: lastStep }) },
});

/** The model turns of a chat turn so far. */
export function modelTurnsOf(em: EntityManager, turn: Steps): Promise<ModelTurn[]> {
  return em.find(ModelTurn, stepsOf(turn), { orderBy: { step: 'asc' } });
}

/** The usage of a turn so far, without reading its text. */
export async function usageSoFar(em: EntityManager, turn: Steps): Promise<ChatUsage> {
  return usageOf(await em.find(ModelTurn, stepsOf(turn), { orderBy: { step: 'asc' }, exclude: ['content'] }));
}
