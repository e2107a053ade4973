/** Cancels, renames and deletes chats. */
import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../db/orm.ts';
import { requireOneOf, type Actor } from '../../http/authenticate.ts';
import { anyTeam, forTeam } from '../../db/team-filter.ts';
import { cancelRun, deliverCancel, OPEN, Run, sweepRuns, type SweepOptions } from '../runs/index.ts';
import { purgeChat } from './delete.ts';
import { Chat, ChatTurn } from './entities.ts';
import { isMonitoringAgent, noTurnIsRunning } from './errors.ts';
import { chatRuns } from './turns/kind.ts';
import type { FinishDeps } from './turns/run.ts';
import { findChat, MONITOR_SCOPE, type ChatServiceDeps } from './service.ts';

/** What ending turns takes, besides starting them. */
export type ChatControlDeps = ChatServiceDeps & FinishDeps;

/**
 * Cancels the running turn of a chat, including its tools. Idempotent.
 * @throws {NotFound} if the team has no such chat
 * @throws {Conflict} if no turn is running
 */
export async function cancelTurn(deps: ChatControlDeps, em: EntityManager, chatId: string): Promise<ChatTurn> {
  const chat = await findChat(em, chatId);
  const turn = await em.findOne(ChatTurn, { chatId: chat.id, status: { $in: OPEN } });
  if (!turn) throw noTurnIsRunning();
  await cancelRun(deps, chatRuns, em, turn);
  return turn;
}

/**
 * Sets a person's title, which no model replaces.
 * @throws {NotFound}
 * @throws {Forbidden} for a monitoring agent's chat, whose title is the agent's, if the caller may not change agents
 */
export async function renameChat(
  deps: Pick<ChatControlDeps, 'titled'>,
  em: EntityManager,
  actor: Pick<Actor, 'scopes'>,
  { chatId, title }: { chatId: string; title: string },
): Promise<Chat> {
  const chat = await findChat(em, chatId);
  if (chat.isMonitoring) requireOneOf(actor, MONITOR_SCOPE);
  em.assign(chat, { title, titledBy: 'person' });
  await em.flush();
  if (chat.isMonitoring) await deps.titled?.(chat, title);
  return chat;
}

/**
 * Deletes a chat with everything in it. It disappears at once; a running turn is cancelled, and its rows are deleted
 * once it has ended.
 * @throws {NotFound} if the team has no such chat
 * @throws {Conflict} if it belongs to a monitoring agent, which would continue without it
 */
export async function deleteChat(deps: ChatControlDeps, em: EntityManager, chatId: string): Promise<void> {
  const deleted = await em.transactional(async (tx) => {
    const chat = await findChat(tx, chatId, LockMode.PESSIMISTIC_WRITE);
    if (chat.isMonitoring) throw isMonitoringAgent(chat.id);
    return markDeleted(deps, tx, chat);
  });
  await endDeleted(deps, em, deleted);
}

/** A chat marked as deleted, and the turn that was running at the time. */
export interface DeletedChat {
  chat: Chat;
  turn: ChatTurn | null;
}

/** Marks a chat as deleted; it disappears once the transaction commits. */
export async function markDeleted(
  { clock }: Pick<ChatControlDeps, 'clock'>,
  tx: EntityManager,
  chat: Chat,
): Promise<DeletedChat> {
  const turn = await tx.findOne(ChatTurn, { chatId: chat.id, status: { $in: OPEN } });
  chat.deletedAt = clock.now();
  if (turn) turn.cancelRequestedAt ??= clock.now();
  return { chat, turn };
}

/** After the mark is committed: cancels the running turn, or deletes the rows. The sweeper retries what fails. */
export async function endDeleted(deps: ChatControlDeps, em: EntityManager, { chat, turn }: DeletedChat): Promise<void> {
  if (turn) await deliverCancel(deps, chatRuns, turn);
  else await purgeChat(deps, em.fork(), chat);
}

const PURGED_AT_ONCE = 100;

/** Sweeps the turns and deleted chats of all teams once. @returns how many rows it acted on */
export async function sweepChats(deps: ChatControlDeps, options?: SweepOptions): Promise<number> {
  const repaired = await sweepRuns(deps, chatRuns, options);
  // What a crash between mark and deletion left behind.
  const deleted = await deps.orm.em
    .fork()
    .find(
      Chat,
      { deletedAt: { $ne: null } },
      { filters: { team: false, present: false }, limit: PURGED_AT_ONCE, orderBy: { deletedAt: 'asc' } },
    );
  for (const chat of deleted) {
    const { id, teamId } = chat;
    const running = await deps.orm.em.fork().count(Run, { conversationId: id, status: { $in: OPEN } }, anyTeam);
    if (running > 0) continue;
    await purgeChat(deps, forTeam(deps.orm.em, teamId), chat).catch((error: unknown) =>
      // Do not hold up the others; the next sweep retries it.
      deps.log.warn({ err: error, chatId: id }, 'a deleted chat could not be purged'),
    );
  }
  return repaired + deleted.length;
}
