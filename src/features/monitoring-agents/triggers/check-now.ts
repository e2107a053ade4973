import { createHash, randomUUID } from 'node:crypto';
import type { EntityManager } from '../../../db/orm.ts';
import { agentIsPaused } from '../errors.ts';
import { claimTrigger, triggerTold } from './once.ts';
import type { Outcome, TriggerRequest, TriggerServiceDeps } from './service.ts';
import { addresseesOf, PAUSED, tellAgents } from './tell-agents.ts';

/**
 * Has checks of one agent, or of all active ones, run now. The same Idempotency-Key has it done once.
 * @throws {Conflict} when the agent that is named is paused, or the key was used for another request
 * @throws {DependencyDown} when no agent could be told
 */
export async function receiveCheckNow(
  deps: TriggerServiceDeps,
  em: EntityManager,
  request: TriggerRequest,
  checkIds: string[] | undefined,
): Promise<Outcome> {
  const { teamId, agentId, idempotencyKey } = request;
  const addressees = await addresseesOf(em, { agentId, checkIds });
  if (agentId !== undefined && addressees[0]?.skipped === PAUSED) throw agentIsPaused();
  const claimed =
    idempotencyKey === undefined
      ? { triggerId: randomUUID(), told: null }
      : await claimTrigger(em, {
          teamId,
          key: `check_now/${idempotencyKey}`,
          kind: 'check_now',
          digest: digestOf({ agentId, checkIds }),
          details: { ...(agentId !== undefined && { agentId }), ...(checkIds && { checkIds }) },
          now: deps.clock.now(),
        });
  if (claimed.told) return { agents: claimed.told, repeated: true };
  const wanted = { triggerId: claimed.triggerId, trigger: 'now' as const };
  const { agents, isPartial } = await tellAgents(tellerOf(deps), addressees, wanted, true);
  if (idempotencyKey !== undefined && !isPartial) await triggerTold(em, claimed.triggerId, agents);
  return { agents, repeated: false };
}

const tellerOf = ({ launcher, log }: TriggerServiceDeps) => ({ checkNow: launcher.checkNow, log });

const digestOf = (request: { agentId?: string; checkIds?: string[] }): string =>
  createHash('sha256')
    .update(JSON.stringify([request.agentId ?? null, request.checkIds ?? null]))
    .digest('hex');
