/** Agents, checks and sessions for tests of findings, as rows and values. */
import { randomUUID } from 'node:crypto';
import type { Orm } from '../../../../src/db/orm.ts';
import { forTeam } from '../../../../src/db/team-filter.ts';
import { Effect } from '../../../../src/features/effects/index.ts';
import type { CheckResult, Observation } from '../../../../src/features/monitoring-agents/checks/port.ts';
import { Finding, MonitoringAgent } from '../../../../src/features/monitoring-agents/entities.ts';
import { observeAlert, observeSession } from '../../../../src/features/monitoring-agents/findings/index.ts';
import { alertKey, currentFindings, lockFindings } from '../../../../src/features/monitoring-agents/findings/rows.ts';
import { Check } from '../../../../src/features/monitoring-agents/plan/schema.ts';
import type { OutsideAlert } from '../../../../src/features/monitoring-agents/triggers/port.ts';
import { type Notification, notificationOf, type StoredChannel } from '../../../../src/features/notifications/index.ts';

export const CHANNEL: StoredChannel = { type: 'webhook', label: 'a webhook', sealed: 'sealed' };

export interface StoredAgent {
  id: string;
  teamId: string;
  title: string;
}

export async function storeAgent(orm: Orm, columns: Partial<MonitoringAgent> = {}): Promise<StoredAgent> {
  const { teamId = randomUUID() } = columns;
  const em = forTeam(orm.em, teamId);
  const agent = em.create(MonitoringAgent, {
    teamId,
    title: 'Watches the shop',
    planVersion: 1,
    channel: CHANNEL,
    healthSince: new Date(),
    lastResultAt: null,
    nextDueAt: null,
    silentAt: null,
    createdByCredentialId: null,
    createdByUserId: null,
    deletedAt: null,
    ...columns,
  });
  await em.flush();
  return { id: agent.id, teamId, title: agent.title };
}

export const checkOf = (overrides: Partial<typeof Check._input> = {}): Check =>
  Check.parse({
    id: 'latency',
    title: 'Latency is usual',
    check: {
      type: 'metric',
      source: 'prometheus',
      metric: 'p95',
      condition: { type: 'threshold', operator: '>', value: 1 },
    },
    schedule: { every_seconds: 60 },
    ...overrides,
  });

export const seen = (subject: string, isFinding: boolean, more: Partial<Observation> = {}): Observation => ({
  subject,
  isFinding,
  text: `p95 of ${subject} is ${isFinding ? '1.9 s, usual are 0.2 s' : '0.2 s'}`,
  service: subject,
  ...more,
});

export const resultOf = (...observations: Observation[]): CheckResult => ({
  status: observations.some(({ isFinding }) => isFinding) ? 'finding' : 'ok',
  summary: 'looked',
  observations,
  evidence: [{ source: 'prometheus', question: 'p95', answer: [1, 2] }],
});

/** Applies a session in a transaction of its own, as a run of a check does. */
export function observe(
  orm: Orm,
  agent: StoredAgent,
  check: Check,
  result: CheckResult,
  { at = new Date(), sessionId = randomUUID() }: { at?: Date; sessionId?: string } = {},
): Promise<Finding[]> {
  return forTeam(orm.em, agent.teamId).transactional((em) =>
    observeSession(em, { agent, check, sessionId, result, at }),
  );
}

/** Applies an alert that belongs to no agent, in a transaction of its own. */
export function observeOutside(orm: Orm, teamId: string, alert: OutsideAlert, at: Date): Promise<Finding | undefined> {
  return forTeam(orm.em, teamId).transactional(async (em) => {
    await lockFindings(em, teamId);
    const current = await currentFindings(em, null, [alertKey(alert.fingerprint)]);
    return observeAlert(em, { teamId, agentId: null, alert, at }, { current });
  });
}

export const findingsOf = (orm: Orm, { id, teamId }: StoredAgent): Promise<Finding[]> =>
  forTeam(orm.em, teamId).find(Finding, { agentId: id }, { orderBy: { createdAt: 'asc', dedupKey: 'asc' } });

/** The notifications of an agent's findings, the oldest first, each with its event. */
export async function notificationsOf(
  orm: Orm,
  { id, teamId }: StoredAgent,
): Promise<(Notification & { event: string })[]> {
  const rows = await forTeam(orm.em, teamId).find(Effect, { ownerId: id }, { orderBy: { createdAt: 'asc' } });
  return rows.map(notificationOf).map((one) => ({ ...one, event: one.message.event }));
}
