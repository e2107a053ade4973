import { randomUUID } from 'node:crypto';
import type { EntityManager } from '../../../db/orm.ts';
import { DependencyDown, InvalidRequest } from '../../../http/errors.ts';
import { mapConcurrently } from '../../../platform/concurrency.ts';
import type { Logger } from '../../../platform/logger.ts';
import { claimEffect, endEffect, stored } from '../../effects/index.ts';
import type { CheckNow } from '../contract.ts';
import { MonitoringAgent } from '../entities.ts';
import { findAgent } from '../service.ts';
import { planOf } from '../agent/settings.ts';
import type { AgentNotified, CheckNowSender } from './port.ts';

/** Concurrent calls to Temporal for one request. */
const CALLS_AT_ONCE = 16;
export const PAUSED = 'The agent is paused.';
/** No client retries a request after this. */
export const TRIGGER_RETENTION_MS = 7 * 24 * 3_600_000;

interface Addressee {
  agent: Pick<MonitoringAgent, 'id' | 'teamId' | 'title'>;
  /** Absent: all. */
  checkIds?: string[];
  /** Why it is skipped. */
  skipped?: string;
}

/**
 * The agents that a trigger is for: the named one, or all of the team. Skips paused agents, and those with none of the
 * checks.
 * @param em bound to the team
 * @throws {NotFound} when the named agent does not exist
 * @throws {InvalidRequest} when it lacks one of the checks
 */
export async function addresseesOf(
  em: EntityManager,
  wanted: { agentId?: string; checkIds?: string[] },
): Promise<Addressee[]> {
  const { agentId, checkIds } = wanted;
  const agents =
    agentId === undefined
      ? await em.find(MonitoringAgent, {}, { orderBy: { createdAt: 'asc', id: 'asc' } })
      : [await findAgent(em, agentId)];
  return mapConcurrently(agents, CALLS_AT_ONCE, async (agent) => {
    if (!agent.active) return { agent, skipped: PAUSED };
    if (!checkIds) return { agent };
    const { checks } = await planOf(em.fork(), agent.id, agent.planVersion);
    const unknown = checkIds.filter((id) => !checks.some((check) => check.id === id));
    if (agentId !== undefined && unknown.length > 0) throw unknownChecks(checkIds, unknown);
    const its = checkIds.filter((id) => !unknown.includes(id));
    return its.length === 0 ? { agent, skipped: 'The plan has none of these checks.' } : { agent, checkIds: its };
  });
}

const unknownChecks = (all: readonly string[], unknown: readonly string[]): InvalidRequest =>
  new InvalidRequest(
    unknown.map((id) => ({
      type: 'value_error',
      loc: ['body', 'checks', all.indexOf(id)],
      msg: 'Value error, the plan of the agent has no such check',
      input: id,
    })),
  );

interface Outcome {
  agents: AgentNotified[];
  /** Some could not be notified; a retry may succeed. */
  isPartial: boolean;
}

/**
 * Notifies agents to run checks now. One that cannot be notified does not affect the others; when the first calls all
 * fail, Temporal is down, and the rest are not tried.
 * @param required whether to fail when there were agents to notify and none could be
 * @throws {DependencyDown} 503
 */
export async function notifyAgents(
  deps: { checkNow: CheckNowSender; log: Logger },
  addressees: readonly Addressee[],
  wanted: Pick<CheckNow, 'triggerId' | 'trigger'>,
  required: boolean,
): Promise<Outcome> {
  let failures = 0;
  let successes = 0;
  const agents = await mapConcurrently(addressees, CALLS_AT_ONCE, async ({ agent, checkIds, skipped }) => {
    const known = { agentId: agent.id, title: agent.title };
    if (skipped !== undefined) return { ...known, started: false, reason: skipped };
    try {
      if (failures >= CALLS_AT_ONCE && successes === 0) throw new Error('Temporal accepted none of the earlier calls.');
      const ref = { agentId: agent.id, teamId: agent.teamId, title: agent.title };
      await deps.checkNow(ref, { ...wanted, ...(checkIds && { checkIds }) });
      successes += 1;
      return { ...known, started: true };
    } catch (error) {
      deps.log.warn({ err: error, agentId: agent.id, ...wanted }, 'could not notify an agent to check now');
      failures += 1;
      return {
        ...known,
        started: false,
        reason: 'Temporal did not accept the request. Try again.',
      };
    }
  });
  if (required && failures > 0 && successes === 0) {
    throw new DependencyDown('No agent could be notified: Temporal does not answer.', 'agents_not_told');
  }
  return { agents, isPartial: failures > 0 };
}

/** A notification of agents, once for its key. */
interface WantedNotice {
  teamId: string;
  key: string;
  /** Distinguishes a repetition from another request under the same key. */
  request?: unknown;
  /** How long a repetition is recognised. */
  keptForMs: number;
  now: Date;
}

/**
 * Notifies agents, or returns the outcome of an earlier notification. A repetition retries those that could not be
 * notified, under the same id: an agent that knows the id ignores it.
 * @param em bound to the team
 * @param wanted undefined: it cannot be repeated
 * @throws {Conflict} when the key belongs to another request
 */
export async function onceForKey(
  em: EntityManager,
  wanted: WantedNotice | undefined,
  notify: (triggerId: string) => Promise<Outcome>,
): Promise<{ agents: AgentNotified[]; repeated: boolean }> {
  if (!wanted) return { agents: (await notify(randomUUID())).agents, repeated: false };
  const effect = await claimEffect(em, { ...wanted, kind: 'trigger', key: triggerKey(wanted.key) });
  if (effect.status === 'done') return { agents: stored<AgentNotified[]>(effect.receipt), repeated: true };
  const { agents, isPartial } = await notify(effect.id);
  if (!isPartial) await endEffect(em, effect.id, { status: 'done', receipt: agents });
  return { agents, repeated: false };
}

export const triggerKey = (key: string): string => `trigger:${key}`;
