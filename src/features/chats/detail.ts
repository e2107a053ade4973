import { isOpen, OPEN } from '../runs/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import type { RunProgress } from '../runs/index.ts';
import { Message, ModelTurn, SAID_ORDER, ToolCall } from '../transcripts/index.ts';
import { type Chat, ChatTurn } from './entities.ts';
import { findChat } from './service.ts';

/** A page of a chat: some of its turns, complete except for whole tool results. */
export interface ChatRows {
  chat: Chat;
  /** Ascending by number. */
  turns: ChatTurn[];
  messages: Message[];
  modelTurns: ModelTurn[];
  toolCalls: ToolCall[];
  /** There are earlier turns. */
  hasEarlier: boolean;
  /** The running turn, on this page or not. */
  running?: ChatTurn;
  /** Progress of the running turn, if a worker answered. */
  progress?: RunProgress;
}

/**
 * The newest turns of a chat, or those before one.
 * @throws {NotFound} if the team has no such chat
 */
export async function loadChat(
  em: EntityManager,
  chatId: string,
  { before, most }: { before?: number; most: number },
): Promise<ChatRows> {
  const chat = await findChat(em, chatId);
  const newest = await em.find(
    ChatTurn,
    { chatId: chat.id, ...(before !== undefined && { number: { $lt: before } }) },
    { orderBy: { number: 'desc' }, limit: most + 1 },
  );
  const turns = newest.slice(0, most).toReversed();
  // Only the newest turn can be running, and without `before` it is on this page.
  const running =
    before === undefined
      ? turns.findLast(({ status }) => isOpen(status))
      : ((await em.findOne(ChatTurn, { chatId: chat.id, status: { $in: OPEN } })) ?? undefined);
  const [first, last] = [turns[0], turns.at(-1)];
  if (!first || !last) return { chat, turns, messages: [], modelTurns: [], toolCalls: [], hasEarlier: false, running };
  const step = { $gte: first.firstStep, ...(last.lastStep !== null && { $lte: last.lastStep }) };
  const within = { conversationId: chat.id, step };
  const delivered = { $gte: first.firstStep, $lte: last.firstStep };
  const [messages, modelTurns, toolCalls] = await Promise.all([
    em.find(Message, { conversationId: chat.id, deliveredStep: delivered }, { orderBy: SAID_ORDER }),
    em.find(ModelTurn, within, { orderBy: { step: 'asc' } }),
    em.find(ToolCall, within, { orderBy: { evidence: 'asc' } }),
  ]);
  return { chat, turns, messages, modelTurns, toolCalls, hasEarlier: newest.length > most, running };
}
