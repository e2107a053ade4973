import { LockMode } from '@mikro-orm/core';
import { deleteInParts } from '../../../db/delete-in-parts.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import { mapConcurrently } from '../../../platform/concurrency.ts';
import type { EventLog } from '../../../platform/event-log/port.ts';
import { Effect } from '../../effects/index.ts';
import { AuxiliaryCall, Conversation, purgeConversations } from '../../transcripts/index.ts';
import { Chat, endDeleted, markDeleted, purgeChat, type ChatControlDeps } from '../../chats/index.ts';
import { conversationStream, purgeRuns } from '../../runs/index.ts';
import type { AgentRef } from '../contract.ts';
import type { MonitoringRunDeps } from '../deps.ts';
import { Finding, FindingAct, MonitoringAgent, MonitoringPlanVersion, MonitoringSession } from '../entities.ts';
import { findAgent, type MonitoringServiceDeps } from '../service.ts';
import { BUDGET_MS } from './budget.ts';

/** Findings processed in one batch. */
const FINDINGS_AT_ONCE = 1_000;
/** Sessions per batch: few enough that none stays long without its conversation. */
const SESSIONS_AT_ONCE = 50;
/** Concurrent calls to Temporal. */
const NOTIFIED_AT_ONCE = 8;

/**
 * Deletes an agent with its chat, plans, sessions and findings. It disappears for everybody at once; its workflow is
 * cancelled, and the rows go when nothing works on them any longer. Investigations it opened stay.
 * @param em bound to the actor's team
 * @throws {NotFound}
 */
export async function deleteAgent(
  deps: MonitoringServiceDeps & { chats: ChatControlDeps },
  em: EntityManager,
  id: string,
): Promise<void> {
  const { agent, deleted } = await em.fork().transactional(async (tx) => {
    const found = await findAgent(tx, id, LockMode.PESSIMISTIC_WRITE);
    const chat = await tx.findOneOrFail(Chat, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    found.deletedAt = deps.clock.now();
    return { agent: found, deleted: await markDeleted(deps, tx, chat) };
  });
  await endDeleted(deps.chats, em, deleted);
  await deps.launcher.end(agent.id).catch((error: unknown) => {
    deps.log.warn(
      { err: error, agentId: id },
      'Temporal did not cancel the workflow of an agent; the sweeper will retry',
    );
  });
}

/**
 * Deletes the stored data of a deleted agent. Does nothing for one that was not deleted: then somebody cancelled its
 * workflow, and the sweeper starts it again. Works in steps that can be repeated: an interrupted deletion starts over
 * and completes.
 * @param signal aborts it
 */
export async function purgeAgent(
  deps: Pick<MonitoringRunDeps, 'orm' | 'events' | 'drafts' | 'findings'>,
  { agentId, teamId }: AgentRef,
  signal?: AbortSignal,
): Promise<void> {
  const em = forTeam(deps.orm.em, teamId);
  const agent = await em.findOne(MonitoringAgent, { id: agentId }, { filters: { present: false } });
  if (agent && !agent.deletedAt) return;
  await purgeAgentSessions(deps, em, agentId, { signal });
  await deleteInParts(em, Effect, { ownerId: agentId }, signal);
  await purgeFindings(deps, em, agentId, signal);
  await deleteInParts(em, MonitoringPlanVersion, { agentId }, signal);
  const running = await em.count(Chat, { id: agentId }, { filters: { present: false } });
  if (running > 0) await purgeChat(deps, em, { id: agentId, teamId }, signal);
  // Last: the sweeper finds unfinished deletions by this mark.
  await em.nativeDelete(MonitoringAgent, { id: agentId }, { filters: { present: false } });
}

async function purgeFindings(
  { findings: { launcher } }: Pick<MonitoringRunDeps, 'findings'>,
  em: EntityManager,
  agentId: string,
  signal?: AbortSignal,
): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const findings = await em.fork().find(Finding, { agentId }, { limit: FINDINGS_AT_ONCE });
    if (findings.length === 0) return;
    // Their workflows look for their agent, and end. Notified before the rows go, so that a repeated deletion finds
    // them.
    const signalled = findings.filter(({ status, signalledRevision }) => status !== 'closed' && signalledRevision > 0);
    await mapConcurrently(signalled, NOTIFIED_AT_ONCE, (finding) => launcher.notify(finding));
    const ids = findings.map(({ id }) => id);
    await deleteInParts(em, AuxiliaryCall, { conversationId: { $in: ids } }, signal);
    await deleteInParts(em, FindingAct, { findingId: { $in: ids } }, signal);
    await deleteInParts(em, Finding, { id: { $in: ids } }, signal);
  }
}

/**
 * Deletes an agent's sessions.
 * @param em bound to the agent's team
 * @param options.before only ended sessions that began before it
 * @param options.signal aborts it
 * @returns how many
 */
export async function purgeAgentSessions(
  deps: Pick<MonitoringRunDeps, 'events'>,
  em: EntityManager,
  agentId: string,
  { before, signal }: { before?: Date; signal?: AbortSignal },
): Promise<number> {
  // Model cost is summed over a day, so sessions stay at least as long.
  const counted = new Date(Math.min(before?.getTime() ?? 0, Date.now() - BUDGET_MS));
  const old = { startedAt: { $lt: before }, costUsd: 0 };
  const where = before
    ? { agentId, status: { $ne: 'running' as const }, $or: [old, { startedAt: { $lt: counted } }] }
    : { agentId };
  for (let deleted = 0; ;) {
    signal?.throwIfAborted();
    const sessions = await em.fork().find(MonitoringSession, where, { fields: ['id'], limit: SESSIONS_AT_ONCE });
    if (sessions.length === 0) return deleted;
    const ids = sessions.map(({ id }) => id);
    await purgeSessions(deps, em.fork(), ids, signal);
    deleted += ids.length;
  }
}

/**
 * Deletes sessions with their conversations and evidence, from the database and the event log. Works in steps that can
 * be repeated: an interrupted deletion starts over and completes.
 * @param em bound to their team, outside of a transaction
 * @param signal aborts it
 */
async function purgeSessions(
  { events }: { events: EventLog },
  em: EntityManager,
  sessionIds: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const ids = [...sessionIds];
  if (ids.length === 0) return;
  const talked = await em.find(Conversation, { id: { $in: ids } }, { fields: ['id'], filters: { present: false } });
  // Before the rows, so that a repeated deletion still finds the names.
  if (talked.length > 0) await events.remove(talked.map(({ id }) => conversationStream(id)));
  await purgeConversations(em, ids, () => purgeRuns(em, ids, signal), signal);
  await deleteInParts(em, MonitoringSession, { id: { $in: ids } }, signal);
}
