/** Opens a turn: in a new chat, or an existing one. */
import { randomUUID } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import { creatorOf } from '../../db/base.ts';
import type { EntityManager } from '../../db/orm.ts';
import { InvalidRequest } from '../../http/errors.ts';
import { Investigation } from '../investigations/index.ts';
import { isOpen } from '../runs/index.ts';
import { Conversation } from '../transcripts/index.ts';
import { Chat, ChatTurn } from './entities.ts';
import { chatNotFound, turnIsRunning } from './errors.ts';
import { historyOf, newMessages, type SaidMessage } from './history.ts';
import type { Actor } from '../../http/authenticate.ts';
import type { NewTurn } from './service.ts';
import { titleOfQuestion } from './title.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface OpenedChat {
  chat: Chat;
  conversation: Conversation;
  number: number;
  messages: SaidMessage[];
}

/** @throws {InvalidRequest} if it is about an investigation that the team does not have */
export async function openChat(em: EntityManager, actor: Actor, wanted: NewTurn, now: Date): Promise<OpenedChat> {
  const { teamId } = actor;
  const { messages, investigationId, monitoring } = wanted;
  if (investigationId !== undefined && !(await em.findOne(Investigation, { id: investigationId }))) {
    throw InvalidRequest.at(['body', 'investigation_id'], 'There is no such investigation', investigationId);
  }
  const id = randomUUID();
  const conversation = em.create(Conversation, {
    id,
    teamId,
    kind: 'chat',
    opening: null,
    plan: [],
    result: null,
    summary: null,
  });
  const chat = em.create(Chat, {
    id,
    teamId,
    title: monitoring?.title ?? titleOfQuestion(messages.at(-1)?.content ?? ''),
    titledBy: monitoring?.title === undefined ? 'question' : 'person',
    ...creatorOf(actor),
    investigationId: investigationId ?? null,
    isMonitoring: monitoring !== undefined,
    lastTurnAt: now,
    deletedAt: null,
  });
  return { chat, conversation, number: 1, messages };
}

/** @throws {NotFound} if the team has no such chat, {@link Conflict} while a turn is running */
export async function continueChat(em: EntityManager, chatId: string, given: SaidMessage[]): Promise<OpenedChat> {
  const chat = await findChat(em, chatId, LockMode.PESSIMISTIC_WRITE);
  const [last] = await em.find(ChatTurn, { chatId: chat.id }, { orderBy: { number: 'desc' }, limit: 1 });
  if (last && isOpen(last.status)) throw turnIsRunning(chat.id);
  const conversation = await em.findOneOrFail(Conversation, { id: chat.id });
  const messages = given.length === 1 ? given : newMessages(given, await historyOf(em, chat.id));
  return { chat, conversation, number: (last?.number ?? 0) + 1, messages };
}

/** @throws {NotFound} if the team has no such chat, or the id is malformed */
export async function findChat(em: EntityManager, chatId: string, lockMode = LockMode.NONE): Promise<Chat> {
  const chat = UUID.test(chatId) ? await em.findOne(Chat, { id: chatId }, { lockMode }) : null;
  if (!chat) throw chatNotFound();
  return chat;
}
