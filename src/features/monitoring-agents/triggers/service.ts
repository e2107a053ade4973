/** Carries out external triggers: alerts, deploys, and requests to check now. */
import type { EntityManager } from '../../../db/orm.ts';
import type { Actor } from '../../../http/authenticate.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { FairSlots } from '../../../platform/fair-slots.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { FindingNotifier } from '../findings/index.ts';
import { findAgent } from '../service.ts';
import { receiveAlerts } from './alerts.ts';
import { receiveCheckNow, receiveDeploy } from './deploys.ts';
import type { AgentNotified, CheckNowSender, Trigger } from './port.ts';
import type { MonitorResponse } from './schemas.ts';

export interface TriggerServiceDeps {
  clock: Clock;
  log: Logger;
  launcher: { checkNow: CheckNowSender };
  findings: FindingNotifier;
  /** One per process. */
  alertLimiter: FairSlots;
}

/** The actor, and the agent in question. */
export interface TriggerRequest extends Actor {
  /** Absent: all agents of the team; an alert then belongs to none. */
  agentId?: string;
  idempotencyKey?: string;
  /** Fires when the caller stops waiting for the answer. */
  signal?: AbortSignal;
}

export interface Outcome {
  alerts?: MonitorResponse['alerts'];
  agents: AgentNotified[];
  repeated: boolean;
}

/**
 * Carries out a trigger; the answer says what was started. Accepted means committed: the sweepers start findings and
 * investigations that Temporal did not accept at once.
 * @param em bound to the actor's team
 * @throws {NotFound} when there is no such agent
 * @throws {Conflict} when a paused agent is to run checks now, or the idempotency key was used for another request
 * @throws {DependencyDown} when too many requests with alerts are waiting, or no agent could be notified of a deploy or
 *   a request; a retry is harmless
 */
export async function receiveTrigger(
  deps: TriggerServiceDeps,
  em: EntityManager,
  request: TriggerRequest,
  trigger: Trigger,
): Promise<MonitorResponse> {
  const { alerts = [], agents, repeated } = await carryOut(deps, em, request, trigger);
  return {
    kind: trigger.kind,
    source: trigger.source,
    reason: trigger.kind === 'ignored' ? trigger.reason : null,
    alerts,
    truncated_alerts: trigger.kind === 'alerts' ? trigger.truncated : 0,
    agents: agents.map(({ agentId, title, started, reason = null }) => ({ chat_id: agentId, title, started, reason })),
    repeated,
  };
}

async function carryOut(
  deps: TriggerServiceDeps,
  em: EntityManager,
  request: TriggerRequest,
  trigger: Trigger,
): Promise<Outcome> {
  if (trigger.kind === 'alerts') return receiveAlerts(deps, em, request, trigger.alerts);
  if (trigger.kind === 'deploy') return receiveDeploy(deps, em, request, trigger.deploy);
  if (trigger.kind === 'check_now') return receiveCheckNow(deps, em, request, trigger.checkIds);
  if (request.agentId !== undefined) await findAgent(em, request.agentId);
  return { agents: [], repeated: false };
}
