/** An agent's configuration besides its plan: its channel, session retention and model budget. */
import { randomUUID } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import { TooManyRequests } from '../../../http/errors.ts';
import type { SecretBox } from '../../../platform/secrets.ts';
import { messageOf } from '../../../platform/message-of.ts';
import { Chat } from '../../chats/index.ts';
import { Effect } from '../../effects/index.ts';
import {
  deliverNotification,
  enterNotification,
  NOTIFICATION,
  storeChannel,
  type NotificationChannel,
  type NotificationMessage,
  type Notifier,
} from '../../notifications/index.ts';
import type { MonitoringAgent } from '../entities.ts';
import { messageFrom } from '../findings/messages.ts';
import { findAgent, notifyAgent, type MonitoringServiceDeps } from '../service.ts';

interface AgentConfigChange {
  /** Null: no notifications. */
  channel?: NotificationChannel | null;
  evictionHours?: number;
  modelBudgetUsdPerDay?: number;
  title?: string;
}

interface ConfiguredAgent {
  agent: MonitoringAgent;
  /** Generated for a webhook that came without a secret; shown only once. */
  generatedSecret?: string;
}

/**
 * Changes an agent's configuration and notifies its workflow.
 * @param em bound to the actor's team
 * @throws {NotFound}
 */
export async function configureAgent(
  deps: MonitoringServiceDeps & { secrets: SecretBox },
  em: EntityManager,
  id: string,
  change: AgentConfigChange,
): Promise<ConfiguredAgent> {
  const { channel, evictionHours, modelBudgetUsdPerDay, title } = change;
  let generatedSecret: string | undefined;
  const agent = await reviseAgent(deps, em, id, async (found, tx) => {
    const made = channel ? storeChannel(deps.secrets, found.teamId, channel) : undefined;
    generatedSecret = made?.generatedSecret;
    if (channel !== undefined) found.channel = made?.stored ?? null;
    if (evictionHours !== undefined) found.evictionHours = evictionHours;
    if (modelBudgetUsdPerDay !== undefined) found.modelBudgetUsdPerDay = modelBudgetUsdPerDay;
    if (title === undefined) return;
    found.title = title;
    await tx.nativeUpdate(Chat, { id }, { title, titledBy: 'person', updatedAt: deps.clock.now() });
  });
  return { agent, generatedSecret };
}

/** Renames the agent along with its chat. */
export async function retitleAgent(
  deps: MonitoringServiceDeps,
  { id, teamId }: Pick<MonitoringAgent, 'id' | 'teamId'>,
  title: string,
): Promise<void> {
  await reviseAgent(deps, forTeam(deps.orm.em, teamId), id, (agent) => {
    agent.title = title;
  });
}

/** Creates a revision of an agent without a new plan version, and notifies its workflow. */
async function reviseAgent(
  deps: MonitoringServiceDeps,
  em: EntityManager,
  id: string,
  change: (agent: MonitoringAgent, tx: EntityManager) => void | Promise<void>,
): Promise<MonitoringAgent> {
  const revised = await em.fork().transactional(async (tx) => {
    const agent = await findAgent(tx, id, LockMode.PESSIMISTIC_WRITE);
    await change(agent, tx);
    agent.revision += 1;
    return agent;
  });
  await notifyAgent(deps, em.fork(), id);
  return revised;
}

interface ChannelTest {
  delivered: boolean;
  receipt: string | null;
  error: string | null;
}

/**
 * Whoever sets a channel chooses where this installation sends mail and requests: the limit keeps tests from becoming a
 * flood.
 */
const MAX_TESTS = 10;
const TESTS_WITHIN_MS = 10 * 60_000;

/**
 * Sends a test message to an agent's channel, so that a person sees whether it arrives. Makes one attempt.
 * @throws {TooManyRequests} after too many recent tests
 */
export async function testChannel(
  deps: Pick<MonitoringServiceDeps, 'orm' | 'clock'> & { notifier: Notifier; appUrl: string },
  em: EntityManager,
  agent: MonitoringAgent,
  signal: AbortSignal,
): Promise<ChannelTest> {
  const { id: agentId, teamId, channel, title } = agent;
  if (!channel) return { delivered: false, receipt: null, error: 'The agent has no notification channel.' };
  const now = deps.clock.now();
  await requireFewTests(em.fork(), agentId, now);
  const message: NotificationMessage = {
    event: 'test',
    ...messageFrom({ id: agentId, title }),
    severity: 'info',
    title: `Test of "${title}"`,
    text: 'This is a test message. Notifications of this monitoring agent arrive here.',
    links: [{ label: 'Monitoring agent', url: `${deps.appUrl}/monitoring/${agentId}` }],
    at: now.getTime(),
  };
  const key = `agent:${agentId}:test:${randomUUID()}`;
  const effect = await enterNotification(em, { teamId, key, ownerId: agentId, message, channel });
  const { orm, clock, notifier } = deps;
  const once = { orm, clock, deliver: notifier.send.bind(notifier), giveUpAfterMs: 0 };
  try {
    const { receipt } = await deliverNotification(once, effect, channel, { signal });
    return { delivered: true, receipt, error: null };
  } catch (error) {
    return { delivered: false, receipt: null, error: messageOf(error) };
  }
}

async function requireFewTests(em: EntityManager, agentId: string, now: Date): Promise<void> {
  const since = new Date(now.getTime() - TESTS_WITHIN_MS);
  const [oldest] = await em.find(
    Effect,
    { ownerId: agentId, subjectId: null, kind: NOTIFICATION, createdAt: { $gt: since } },
    { orderBy: { createdAt: 'desc' }, offset: MAX_TESTS - 1, limit: 1, fields: ['createdAt'] },
  );
  if (!oldest) return;
  const seconds = (oldest.createdAt.getTime() - since.getTime()) / 1_000;
  const detail = `An agent can send at most ${MAX_TESTS} test messages within ten minutes.`;
  throw new TooManyRequests(seconds, detail, 'too_many_test_messages');
}
