/** Starts chats and turns, committing them before Temporal hears of them. */
import { randomUUID } from 'node:crypto';
import { UniqueConstraintViolationException, LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../db/orm.ts';
import { grants, requireOneOf, type Actor } from '../../http/authenticate.ts';
import { Forbidden, InvalidRequest } from '../../http/errors.ts';
import type { EventLog } from '../../platform/event-log/port.ts';
import { isUuid } from '../../platform/uuid.ts';
import { creatorOf } from '../../db/base.ts';
import { ACT_SCOPE, commitOnce, isOpen, launchRun, newRun, requestDigest, type RunServiceDeps } from '../runs/index.ts';
import { Message, Conversation, SAID_ORDER } from '../transcripts/index.ts';
import { Investigation } from '../investigations/index.ts';
import type { ChatTurnPurpose } from './contract.ts';
import { Chat, ChatTurn } from './entities.ts';
import { chatNotFound, sideEffectsOfMonitoring, turnIsRunning } from './errors.ts';
import { contextOf } from './turns/prompt.ts';
import { titleOfQuestion } from './title.ts';

/** The scope for changing what monitoring agents watch. */
export const MONITOR_SCOPE = 'monitoring:write';

export interface ChatServiceDeps extends RunServiceDeps<ChatTurn> {
  events: EventLog;
}

/** A request to a chat. */
export interface NewTurn {
  purpose: ChatTurnPurpose;
  /** At least one; the last is the question. */
  messages: SaidMessage[];
  /** Absent for a new chat. */
  chatId?: string;
  model?: string;
  systemPrompt?: string;
  mode?: 'apply' | 'propose';
  /** Changes what the chat allows; absent leaves it unchanged (a new chat allows no side effects). */
  allowSideEffects?: boolean;
  /** The subject of a new chat. */
  investigationId?: string;
  /** Additional context for the model. */
  subject?: string;
  /** For a new chat: it is about what a monitoring agent watches. */
  monitoring?: NewMonitoring;
  idempotencyKey?: string;
}

/** How a monitoring agent's chat starts. */
export interface NewMonitoring {
  /** A person's title; absent to name the chat after its first message. */
  title?: string;
  /** Other parts of the request, which a repetition must match. */
  request?: unknown;
  /** Calls no model: the turn has ended once committed, without an answer. */
  isAnswered?: boolean;
  /** Called in the transaction that commits the chat; throwing rolls it back. */
  open: (tx: EntityManager, chat: Chat) => Promise<void>;
}

const CHARACTERS_PER_TOKEN = 4;

/**
 * Commits a turn and launches its workflow; the sweeper launches what Temporal does not accept. A repeated request with
 * the same key gets the same turn.
 * @param em bound to the actor's team
 * @throws {NotFound} if the team has no such chat
 * @throws {Conflict} while another turn is running
 */
export async function startTurn(
  deps: ChatServiceDeps,
  em: EntityManager,
  actor: Actor,
  wanted: NewTurn,
): Promise<ChatTurn> {
  const digest = requestDigestOf(wanted);
  const turn = await commitOnce(em, 'chat', { key: wanted.idempotencyKey, digest }, (tx) =>
    commit(deps, tx, actor, wanted, digest).catch((error: unknown) => {
      const { chatId } = wanted;
      // Two requests at once: only one turn of a chat runs at a time.
      if (error instanceof UniqueConstraintViolationException && chatId !== undefined) throw turnIsRunning(chatId);
      throw error;
    }),
  );
  // Not awaited: followers see the first words sooner, and a failed start is repeated.
  if (turn.startedAt === null && isOpen(turn.status)) void launchRun(deps, turn);
  return turn;
}

async function commit(
  deps: ChatServiceDeps,
  em: EntityManager,
  actor: Actor,
  wanted: NewTurn,
  digest: string,
): Promise<ChatTurn> {
  const now = deps.clock.now();
  const { chat, conversation, number, messages } =
    wanted.chatId === undefined
      ? await openChat(em, actor, wanted, now)
      : await continueChat(em, wanted.chatId, wanted.messages);
  const purpose = purposeIn(chat, actor, wanted);
  if (wanted.allowSideEffects !== undefined) chat.sideEffectsAllowed = wanted.allowSideEffects;
  const mayAct = grants(actor.scopes, ACT_SCOPE);
  if (wanted.allowSideEffects && !mayAct) {
    throw new Forbidden(`The API key lacks the scope ${ACT_SCOPE}.`, 'insufficient_scope');
  }
  chat.lastTurnAt = now;
  const firstStep = conversation.closedThroughStep + 1;
  const question = messages.at(-1)?.content ?? '';
  const isAnswered = wanted.monitoring?.isAnswered ?? false;
  // The next turn starts with the next step.
  if (isAnswered) conversation.closedThroughStep = firstStep;
  const turn = em.create(ChatTurn, {
    id: randomUUID(),
    ...newRun('chat', chat.id, actor),
    chatId: chat.id,
    number,
    purpose,
    ...(isAnswered && { status: 'completed', finishedAt: now }),
    question,
    model: wanted.model ?? null,
    systemPrompt: wanted.systemPrompt ?? null,
    mode: wanted.mode ?? null,
    // Asking for an edit allows the edit; a monitoring chat changes nothing.
    sideEffects: purpose === 'edit' || (purpose !== 'monitor' && mayAct && chat.sideEffectsAllowed),
    firstStep,
    lastStep: isAnswered ? firstStep - 1 : null,
    contextTokens: conversation.contextTokens + Math.ceil(lengthOf(messages) / CHARACTERS_PER_TOKEN),
    wantsTitle: chat.titledBy === 'question',
    text: null,
    citations: [],
    outcome: null,
    idempotencyKey: wanted.idempotencyKey ?? null,
    requestDigest: digest,
    searchText: searchTextOf(question),
  });
  const context = contextOf({ now, investigationId: chat.investigationId, subject: wanted.subject });
  for (const [position, { role, content }] of messages.entries()) {
    em.create(Message, {
      teamId: actor.teamId,
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
  await wanted.monitoring?.open(em, chat);
  return turn;
}

/**
 * The purpose of a turn in its chat: a message to a monitoring agent may change what it watches.
 * @throws {Forbidden} if the caller may not change what agents watch, {@link NotFound} for a chat without an agent
 */
function purposeIn(chat: Chat, actor: Actor, wanted: NewTurn): ChatTurnPurpose {
  if (!chat.isMonitoring && wanted.purpose === 'monitor') throw chatNotFound();
  if (!chat.isMonitoring || (wanted.purpose !== 'answer' && wanted.purpose !== 'monitor')) return wanted.purpose;
  requireOneOf(actor, MONITOR_SCOPE);
  if (wanted.allowSideEffects) throw sideEffectsOfMonitoring();
  return 'monitor';
}

/** The newest turn of a chat; there is at least one. */
export async function lastTurn(em: EntityManager, chatId: string): Promise<ChatTurn> {
  const [turn] = await em.find(ChatTurn, { chatId }, { orderBy: { number: 'desc' }, limit: 1 });
  if (!turn) throw chatNotFound();
  return turn;
}

/** Tells whether two requests are the same; stored with the turn. */
export function requestDigestOf({ idempotencyKey: _key, ...request }: NewTurn): string {
  return requestDigest(JSON.stringify(request));
}

function lengthOf(messages: readonly SaidMessage[]): number {
  return messages.reduce((sum, { content }) => sum + content.length, 0);
}

const SEARCHED_CHARACTERS = 100_000;

/** The searchable text; a tsvector holds less than a megabyte. */
export function searchTextOf(...texts: string[]): string {
  return texts.join('\n').slice(0, SEARCHED_CHARACTERS).toWellFormed();
}

interface OpenedChat {
  chat: Chat;
  conversation: Conversation;
  number: number;
  messages: SaidMessage[];
}

/** @throws {InvalidRequest} if it is about an investigation that the team does not have */
async function openChat(em: EntityManager, actor: Actor, wanted: NewTurn, now: Date): Promise<OpenedChat> {
  const { teamId } = actor;
  const { messages, investigationId, monitoring } = wanted;
  if (investigationId !== undefined && !(await em.findOne(Investigation, { id: investigationId }))) {
    throw InvalidRequest.at(['body', 'investigation_id'], 'Investigation not found', investigationId);
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
async function continueChat(em: EntityManager, chatId: string, given: SaidMessage[]): Promise<OpenedChat> {
  const chat = await findChat(em, chatId, LockMode.PESSIMISTIC_WRITE);
  const [last] = await em.find(ChatTurn, { chatId: chat.id }, { orderBy: { number: 'desc' }, limit: 1 });
  if (last && isOpen(last.status)) throw turnIsRunning(chat.id);
  const conversation = await em.findOneOrFail(Conversation, { id: chat.id });
  const messages = given.length === 1 ? given : newMessages(given, await historyOf(em, chat.id));
  return { chat, conversation, number: (last?.number ?? 0) + 1, messages };
}

/** @throws {NotFound} if the team has no such chat, or the id is malformed */
export async function findChat(em: EntityManager, chatId: string, lockMode = LockMode.NONE): Promise<Chat> {
  const chat = isUuid(chatId.toLowerCase()) ? await em.findOne(Chat, { id: chatId }, { lockMode }) : null;
  if (!chat) throw chatNotFound();
  return chat;
}

interface SaidMessage {
  role: 'user' | 'assistant';
  content: string;
}

/** All messages of a chat, oldest first, as API callers know them. */
async function historyOf(em: EntityManager, chatId: string): Promise<SaidMessage[]> {
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
function newMessages(given: SaidMessage[], history: readonly SaidMessage[]): SaidMessage[] {
  const answered = history.findLastIndex(({ role }) => role === 'assistant') + 1;
  let same = 0;
  // The last one is the question, even if it was asked before.
  while (same < given.length - 1 && isSame(given[same], history[same])) same += 1;
  return same >= answered ? given.slice(same) : given;
}

function isSame(one: SaidMessage | undefined, other: SaidMessage | undefined): boolean {
  return one?.role === other?.role && one?.content === other?.content;
}
