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
 * is not said again. Questions at its end that got no answer may be missing there: not every client keeps those.
 */
export function newMessages(given: SaidMessage[], history: readonly SaidMessage[]): SaidMessage[] {
  const answered = history.findLastIndex(({ role }) => role === 'assistant') + 1;
  let same = 0;
  // The last one is the question, also when it was asked before.
  while (same < given.length - 1 && isSame(given[same], history[same])) same += 1;
  return same >= answered ? given.slice(same) : given;
}

function isSame(one: SaidMessage | undefined, other: SaidMessage | undefined): boolean {
  return one?.role === other?.role && one?.content === other?.content;
}
