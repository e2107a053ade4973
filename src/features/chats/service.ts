/** Chats and their turns: started here, committed before Temporal hears of them. */
import { createHash, randomUUID } from 'node:crypto';
import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager, Orm } from '../../db/orm.ts';
import { grants } from '../../http/authenticate.ts';
import { Conflict, Forbidden, InvalidRequest } from '../../http/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventLog } from '../../platform/event-log/port.ts';
import type { Logger } from '../../platform/logger.ts';
import { Investigation } from '../investigations/index.ts';
import { Conversation, Message } from '../transcripts/index.ts';
import type { ChatTurnPurpose } from './contract.ts';
import { Chat, ChatTurn } from './entities.ts';
import { chatNotFound, idempotencyKeyReused, turnIsRunning } from './errors.ts';
import { historyOf, newMessages, type SaidMessage } from './history.ts';
import type { ChatTurnLauncher } from './launch.ts';
import { contextOf } from './prompt.ts';
import { titleOfQuestion } from './title.ts';

/** The scope for tools that change something outside. */
export const ACT_SCOPE = 'chats:act';

export interface ChatServiceDeps {
  orm: Orm;
  events: EventLog;
  clock: Clock;
  log: Logger;
  launcher: ChatTurnLauncher;
}

/** On whose behalf a turn runs. */
export interface ChatRequester {
  teamId: string;
  apiKeyId: string;
  userId?: string;
  scopes: readonly string[];
}

/** What somebody wants of a chat. */
export interface NewTurn {
  purpose: ChatTurnPurpose;
  /** At least one; the last is the question. */
  messages: SaidMessage[];
  /** Absent: a new chat. */
  chatId?: string;
  model?: string;
  systemPrompt?: string;
  mode?: 'apply' | 'propose';
  /** Changes what the chat allows; absent leaves it as it is (for a new chat: no side effects). */
  allowSideEffects?: boolean;
  /** What a new chat is about. */
  investigationId?: string;
  /** More for the model to know with the question. */
  subject?: string;
  idempotencyKey?: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const CHARACTERS_PER_TOKEN = 4;

/**
 * Commits a turn and launches its workflow; what Temporal does not take, the sweeper launches later. A repeated
 * request with the same key gets the same turn.
 * @param em bound to the requester's team
 * @throws {NotFound} for a chat that the team does not have, {@link Conflict} while another turn of it runs
 */
export async function startTurn(
  deps: ChatServiceDeps,
  em: EntityManager,
  requester: ChatRequester,
  wanted: NewTurn,
): Promise<ChatTurn> {
  const turn = await commitOnce(deps, em, requester, wanted);
  // Not awaited: who follows the turn sees its first words sooner, and a start that fails is repeated.
  if (turn.startedAt === null && turn.status === 'processing') void launch(deps, em.fork(), turn);
  return turn;
}

/** Starts the workflow of a committed turn and notes that it was taken; a failure is left to the sweeper. */
export async function launch(deps: ChatServiceDeps, em: EntityManager, turn: ChatTurn): Promise<void> {
  try {
    await deps.launcher.start(turn);
    const startedAt = deps.clock.now();
    await em.nativeUpdate(ChatTurn, { id: turn.id, startedAt: null }, { startedAt, updatedAt: startedAt });
  } catch (error) {
    deps.log.warn({ err: error, turnId: turn.id }, 'the start of a turn was not taken; the sweeper will repeat it');
  }
}

async function commitOnce(
  deps: ChatServiceDeps,
  em: EntityManager,
  requester: ChatRequester,
  wanted: NewTurn,
): Promise<ChatTurn> {
  const { idempotencyKey } = wanted;
  const requestDigest = requestDigestOf(wanted);
  const earlier = async (): Promise<ChatTurn | null> => {
    if (idempotencyKey === undefined) return null;
    const found = await em.fork({ keepTransactionContext: false }).findOne(ChatTurn, { idempotencyKey });
    if (found && found.requestDigest !== requestDigest) throw idempotencyKeyReused();
    return found;
  };
  const found = await earlier();
  if (found) return found;
  try {
    return await em.transactional((tx) => commit(deps, tx, requester, wanted, requestDigest));
  } catch (error) {
    const isTaken = error instanceof UniqueConstraintViolationException;
    if (!isTaken && !(error instanceof Conflict)) throw error;
    // Two requests at once: with one key they are the same, otherwise only one turn runs at a time.
    const winner = await earlier();
    if (winner) return winner;
    throw isTaken && wanted.chatId !== undefined ? turnIsRunning(wanted.chatId) : error;
  }
}

async function commit(
  deps: ChatServiceDeps,
  em: EntityManager,
  requester: ChatRequester,
  wanted: NewTurn,
  requestDigest: string,
): Promise<ChatTurn> {
  const now = deps.clock.now();
  const { chat, conversation, number, messages } =
    wanted.chatId === undefined
      ? await openChat(em, requester, wanted, now)
      : await continueChat(em, wanted.chatId, wanted.messages);
  if (wanted.allowSideEffects !== undefined) chat.sideEffectsAllowed = wanted.allowSideEffects;
  const mayAct = grants(requester.scopes, ACT_SCOPE);
  if (wanted.allowSideEffects && !mayAct) {
    throw new Forbidden(`The API key lacks the scope ${ACT_SCOPE}.`, 'insufficient_scope');
  }
  chat.lastTurnAt = now;
  const firstStep = conversation.closedThroughStep + 1;
  const question = messages.at(-1)?.content ?? '';
  const turn = em.create(ChatTurn, {
    id: randomUUID(),
    teamId: requester.teamId,
    chatId: chat.id,
    number,
    purpose: wanted.purpose,
    status: 'processing',
    question,
    model: wanted.model ?? null,
    systemPrompt: wanted.systemPrompt ?? null,
    mode: wanted.mode ?? null,
    scopes: [...requester.scopes],
    // Whoever asks for an edit allows the edit.
    sideEffects: wanted.purpose === 'edit' || (mayAct && chat.sideEffectsAllowed),
    firstStep,
    lastStep: null,
    contextTokens: conversation.contextTokens + Math.ceil(lengthOf(messages) / CHARACTERS_PER_TOKEN),
    wantsTitle: chat.titledBy === 'question',
    text: null,
    citations: [],
    outcome: null,
    limitReached: null,
    explanation: null,
    idempotencyKey: wanted.idempotencyKey ?? null,
    requestDigest,
    createdByKeyId: requester.apiKeyId,
    createdByUserId: requester.userId ?? null,
    searchText: searchTextOf(question),
    startedAt: null,
    finishedAt: null,
    cancelRequestedAt: null,
  });
  const context = contextOf({ now, investigationId: chat.investigationId, subject: wanted.subject });
  for (const [position, { role, content }] of messages.entries()) {
    em.create(Message, {
      teamId: requester.teamId,
      conversationId: chat.id,
      role,
      text: content,
      context: position === messages.length - 1 ? context : null,
      position,
      deliveredStep: firstStep,
      createdAt: now,
    });
  }
  await em.flush();
  return turn;
}

interface OpenedChat {
  chat: Chat;
  conversation: Conversation;
  number: number;
  messages: SaidMessage[];
}

async function openChat(em: EntityManager, requester: ChatRequester, wanted: NewTurn, now: Date): Promise<OpenedChat> {
  const { teamId } = requester;
  const { messages, investigationId } = wanted;
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
    title: titleOfQuestion(messages.at(-1)?.content ?? ''),
    titledBy: 'question',
    createdByKeyId: requester.apiKeyId,
    createdByUserId: requester.userId ?? null,
    investigationId: investigationId ?? null,
    lastTurnAt: now,
    deletedAt: null,
  });
  return { chat, conversation, number: 1, messages };
}

async function continueChat(em: EntityManager, chatId: string, given: SaidMessage[]): Promise<OpenedChat> {
  const chat = await findChat(em, chatId, LockMode.PESSIMISTIC_WRITE);
  const [last] = await em.find(ChatTurn, { chatId: chat.id }, { orderBy: { number: 'desc' }, limit: 1 });
  if (last?.status === 'processing') throw turnIsRunning(chat.id);
  const conversation = await em.findOneOrFail(Conversation, { id: chat.id });
  const messages = given.length === 1 ? given : newMessages(given, await historyOf(em, chat.id));
  return { chat, conversation, number: (last?.number ?? 0) + 1, messages };
}

/** @throws {NotFound} when the team has no such chat, also for what is no id at all */
export async function findChat(em: EntityManager, chatId: string, lockMode = LockMode.NONE): Promise<Chat> {
  const chat = UUID.test(chatId) ? await em.findOne(Chat, { id: chatId }, { lockMode }) : null;
  if (!chat) throw chatNotFound();
  return chat;
}

/** The newest turn of a chat; a chat has at least one. */
export async function lastTurn(em: EntityManager, chatId: string): Promise<ChatTurn> {
  const [turn] = await em.find(ChatTurn, { chatId }, { orderBy: { number: 'desc' }, limit: 1 });
  if (!turn) throw chatNotFound();
  return turn;
}

/** What tells whether two requests are the same; it is stored with the turn. */
export function requestDigestOf({ idempotencyKey: _key, ...request }: NewTurn): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('base64url');
}

function lengthOf(messages: readonly SaidMessage[]): number {
  return messages.reduce((sum, { content }) => sum + content.length, 0);
}

const SEARCHED_CHARACTERS = 100_000;

/** What a search looks at; a tsvector holds less than a megabyte. */
export function searchTextOf(...texts: string[]): string {
  return texts.join('\n').slice(0, SEARCHED_CHARACTERS).toWellFormed();
}
