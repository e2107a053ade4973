import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../../db/orm.ts';
import { uuidOf } from '../../../platform/uuid.ts';
import { DependencyDown } from '../../../http/errors.ts';
import { createFairSlots, type FairSlots } from '../../../platform/fair-slots.ts';
import { Effect, recordDone } from '../../effects/index.ts';
import type { Finding, MonitoringAgent } from '../entities.ts';
import {
  commitFindingInvestigation,
  investigateFinding,
  type KnownFindings,
  notifyFindings,
  observeAlert,
} from '../findings/index.ts';
import { alertKey, currentFindings, earlierOf, lockFindings } from '../findings/rows.ts';
import { findAgent } from '../service.ts';
import type { OutsideAlert, AgentNotified } from './port.ts';
import type { MonitorResponse } from './schemas.ts';
import type { Outcome, TriggerRequest, TriggerServiceDeps } from './service.ts';
import { PAUSED, notifyAgents, TRIGGER_RETENTION_MS, triggerKey } from './notify-agents.ts';

/** The sender of a webhook waits for the answer: notifications that take longer are left to the sweeper, ms. */
const LONGEST_TELLING_MS = 3_000;
const TOLD_TOGETHER = 8;

type Action = MonitorResponse['alerts'][number]['action'];

/** The outcome for one alert. */
interface Observed {
  alert: OutsideAlert;
  action: Action;
  /** Absent: it was ignored. */
  finding?: Finding;
  /** Its workflow should be notified. */
  isChanged: boolean;
}

/**
 * Turns alerts into findings, with the investigations they open, in one transaction; then notifies their workflows and,
 * if an agent is named, has it run its checks. The sweepers complete what fails after the commit.
 * @throws {NotFound} when there is no such agent
 * @throws {DependencyDown} when too many requests with alerts are waiting
 */
export async function receiveAlerts(
  deps: TriggerServiceDeps,
  em: EntityManager,
  request: TriggerRequest,
  alerts: readonly OutsideAlert[],
): Promise<Outcome> {
  const agent = request.agentId === undefined ? undefined : await findAgent(em, request.agentId);
  const take = () => em.fork().transactional((tx) => observeAll(deps, tx, request, alerts));
  const observed = await deps.alertLimiter(request.agentId ?? request.teamId, take, request.signal);
  const changed = observed.flatMap(({ finding, isChanged }) => (finding && isChanged ? [finding] : []));
  await notifySoon(deps, changed);
  const firing = observed.flatMap(({ finding, alert }) => (finding && alert.status === 'firing' ? [finding] : []));
  const agents = agent && firing.length > 0 ? [await notifyOfAlerts(deps, em, agent, firing)] : [];
  return {
    alerts: observed.map(presentObserved),
    agents,
    repeated: observed.every(({ action }) => action === 'repeated' || action === 'ignored'),
  };
}

async function notifySoon(deps: TriggerServiceDeps, findings: readonly Finding[]): Promise<void> {
  const until = performance.now() + LONGEST_TELLING_MS;
  for (let first = 0; first < findings.length && performance.now() < until; first += TOLD_TOGETHER)
    await notifyFindings(deps.findings, findings.slice(first, first + TOLD_TOGETHER));
}

async function observeAll(
  deps: TriggerServiceDeps,
  tx: EntityManager,
  request: TriggerRequest,
  alerts: readonly OutsideAlert[],
): Promise<Observed[]> {
  const { teamId, agentId = null } = request;
  // Locked until the findings are committed, so that a deletion of the agent finds them.
  if (agentId !== null) await findAgent(tx, agentId, LockMode.PESSIMISTIC_READ);
  await lockFindings(tx, agentId ?? teamId);
  const keys = alerts.map(({ fingerprint }) => alertKey(fingerprint));
  const at = deps.clock.now();
  const current = await currentFindings(tx.fork({ keepTransactionContext: true }), agentId, keys);
  const unknown = keys.filter((key) => !current.has(key));
  const known = { current, earlier: await earlierOf(tx, agentId, unknown, at.getTime()) };
  const observed: Observed[] = [];
  for (const alert of alerts) {
    const isMuted = alert.labels['severity']?.toLowerCase() === 'none';
    // Each flush examines every managed entity, so each alert has its own entity manager.
    const em = tx.fork({ keepTransactionContext: true });
    observed.push(
      isMuted
        ? { alert, action: 'ignored', isChanged: false }
        : await observeOne(deps, em, request, { alert, at }, known),
    );
  }
  return observed;
}

/** @param em in the transaction that holds the lock of the findings' owner, for this alert only */
async function observeOne(
  deps: TriggerServiceDeps,
  em: EntityManager,
  request: TriggerRequest,
  { alert, at }: { alert: OutsideAlert; at: Date },
  known: KnownFindings,
): Promise<Observed> {
  const { teamId, agentId = null } = request;
  const row = known.current.get(alertKey(alert.fingerprint));
  if (row) em.merge(row);
  const before = row && { id: row.id, status: row.status };
  const changed = await observeAlert(em, { teamId, agentId, alert, at }, known);
  if (changed?.status === 'open') {
    // A new finding is inserted with its investigation. Others also write an existing one, so it is read again.
    if (changed.id !== before?.id) await investigateFinding(deps, em, changed, request);
    else {
      await em.flush();
      await commitFindingInvestigation(deps, em, changed.id, request);
    }
  }
  await em.flush();
  return { alert, finding: changed ?? row, action: actionOf(alert, before, changed), isChanged: changed !== undefined };
}

/** @param after absent: no change is news */
function actionOf(
  { status }: OutsideAlert,
  before: Pick<Finding, 'id' | 'status'> | undefined,
  after: Pick<Finding, 'id' | 'status'> | undefined,
): Action {
  if (!after) return before ? 'repeated' : 'ignored';
  if (before?.id !== after.id) return 'opened';
  if (before.status === after.status) return 'repeated';
  return status === 'firing' ? 'reopened' : 'resolved';
}

const presentObserved = ({ alert, action, finding }: Observed): MonitorResponse['alerts'][number] => ({
  fingerprint: alert.fingerprint,
  title: alert.title,
  status: alert.status,
  action,
  finding_id: finding?.id ?? null,
  investigation_id: finding?.investigationId ?? null,
});

/**
 * Has an agent run its checks because alerts fire: once each time one of them begins. An agent that could not be
 * notified is notified by the next repetition; the findings exist in any case.
 * @param em bound to the team
 * @param firing the findings of the firing alerts
 */
async function notifyOfAlerts(
  deps: TriggerServiceDeps,
  em: EntityManager,
  agent: MonitoringAgent,
  firing: readonly Finding[],
): Promise<AgentNotified> {
  const known = { agentId: agent.id, title: agent.title };
  if (!agent.active) return { ...known, started: false, reason: PAUSED };
  const keys = firing.map(({ id, opens }) => triggerKey(`alert/${id}/${opens.at(-1) ?? 0}`));
  const earlier = await em.find(Effect, { key: { $in: keys } }, { fields: ['key'] });
  const pending = keys.filter((key) => !earlier.some((one) => one.key === key)).toSorted();
  if (pending.length === 0) return { ...known, started: false, reason: 'It was already notified of these alerts.' };

  const triggerId = uuidOf(pending.join('\n'));
  const notifier = { checkNow: deps.launcher.checkNow, log: deps.log };
  const { agents } = await notifyAgents(notifier, [{ agent }], { triggerId, trigger: 'alert' }, false);
  const [notified] = agents;
  if (!notified?.started) return notified ?? { ...known, started: false };
  const { teamId } = agent;
  const noted = { teamId, kind: 'trigger', keptForMs: TRIGGER_RETENTION_MS, now: deps.clock.now(), receipt: agents };
  await recordDone(
    em,
    pending.map((key) => ({ ...noted, key })),
  );
  return notified;
}

/** Concurrent transactions of one process, which has twenty connections in total. */
const MAX_AT_ONCE = 4;
/** Waiting requests per owner: a storm at one owner must leave room for the others. */
const MAX_WAITING_PER_OWNER = 64;
/** Waiting requests of all owners; each holds its body, up to a megabyte. */
const MAX_WAITING = 128;

/**
 * Serialises requests with alerts by the owner of their findings (the agent's or the team's id), one limiter per
 * process. The database lock of the owner would serialise them as well, but waiters hold a connection each: a storm of
 * alerts would exhaust the pool. Excess requests get 503, which most senders retry, unlike 429.
 */
export const createAlertLimiter = (limits: { maxWaitingPerOwner?: number; maxWaiting?: number } = {}): FairSlots =>
  createFairSlots({
    slots: MAX_AT_ONCE,
    slotsPerKey: 1,
    maxWaitingPerKey: limits.maxWaitingPerOwner ?? MAX_WAITING_PER_OWNER,
    maxWaiting: limits.maxWaiting ?? MAX_WAITING,
    busy: () => new DependencyDown('Too many alerts at once. Send them again shortly.', 'busy'),
  });
