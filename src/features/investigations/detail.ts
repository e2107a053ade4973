import type { EntityManager } from '../../db/orm.ts';
import { Conversation, ModelTurn, ToolCall, Message } from '../transcripts/index.ts';
import type { DetailRows } from './presenter.ts';
import { getInvestigation } from './service.ts';

/** Everything about one investigation except whole tool results. @throws {NotFound} */
export async function loadDetail(em: EntityManager, id: string): Promise<Omit<DetailRows, 'progress'>> {
  const investigation = await getInvestigation(em, id);
  const conversation = await em.findOneOrFail(Conversation, { id });
  const turns = await em.find(ModelTurn, { conversationId: id }, { orderBy: { step: 'asc' } });
  const toolCalls = await em.find(ToolCall, { conversationId: id }, { orderBy: { evidence: 'asc' } });
  const messages = await em.find(Message, { conversationId: id }, { orderBy: { createdAt: 'asc' } });
  return { investigation, conversation, turns, toolCalls, messages };
}
