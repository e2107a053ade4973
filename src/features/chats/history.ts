/** The dialogue of a chat so far, as text. */
import type { EntityManager } from '../../db/orm.ts';
import { Message, SAID_ORDER } from '../transcripts/index.ts';
import { ChatTurn } from './entities.ts';

export interface SaidMessage {
  role: 'user' | 'assistant';
  content: string;
}

/** All messages of a chat, oldest first, as API callers know them. */
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
 * The new ones among the given messages. Clients of stateless APIs send the whole dialogue; what the chat already has
 * is skipped. Unanswered questions at its end may be missing: not every client keeps them.
 */
export function newMessages(given: SaidMessage[], history: readonly SaidMessage[]): SaidMessage[] {
  const answered = history.findLastIndex(({ role }) => role === 'assistant') + 1;
  let same = 0;
  // The last one is the question, even if it was asked before.
  while (same < given.length - 1 && isSame(given[same], history[same])) same += 1;
  return same >= answered ? given.slice(same) : given;
}

function isSame(one: SaidMessage | undefined, other: SaidMessage | undefined): boolean {
  return one?.role === other?.role && one?.content === other?.content;
}
