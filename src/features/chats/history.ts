/** What was said in a chat so far, in words. */
import type { EntityManager } from '../../db/orm.ts';
import { Message, SAID_ORDER } from '../transcripts/index.ts';
import { ChatTurn } from './entities.ts';

export interface SaidMessage {
  role: 'user' | 'assistant';
  content: string;
}

/** Everything said in a chat, oldest first, as a caller of the API knows it. */
export async function historyOf(em: EntityManager, chatId: string): Promise<SaidMessage[]> {
  const turns = await em.find(ChatTurn, { chatId }, { orderBy: { number: 'asc' } });
  const messages = await em.find(Message, { conversationId: chatId }, { orderBy: SAID_ORDER });
  return turns.flatMap((turn) => [
    ...messages
      .filter(({ deliveredStep }) => deliveredStep === turn.firstStep)
      .map(({ role, text }) => ({ role, content: text })),
    ...(turn.text ? [{ role: 'assistant' as const, content: turn.text }] : []),
  ]);
}

/**
 * What of the messages given is new. Clients of stateless APIs send everything that was said; what the chat has already
 * is not said again.
 */
export function newMessages(given: SaidMessage[], history: readonly SaidMessage[]): SaidMessage[] {
  const repeated =
    given.length > history.length &&
    history.every(({ role, content }, index) => given[index]?.role === role && given[index]?.content === content);
  return repeated ? given.slice(history.length) : given;
}
