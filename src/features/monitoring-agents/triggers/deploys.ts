import type { EntityManager } from '../../../db/orm.ts';
import { claimTrigger, triggerTold } from './once.ts';
import type { Deploy } from './port.ts';
import type { Outcome, TriggerRequest, TriggerServiceDeps } from './service.ts';
import { addresseesOf, tellAgents } from './tell-agents.ts';

/** A deploy that is reported again within this time is the same. */
export const SAME_DEPLOY_MS = 10 * 60_000;

/**
 * Has agents look at once after a deploy.
 * @returns whom it was told; of a repetition within {@link SAME_DEPLOY_MS} what was answered before
 * @throws {DependencyDown} when no agent could be told: the repetition tells them
 */
export async function receiveDeploy(
  deps: TriggerServiceDeps,
  em: EntityManager,
  request: TriggerRequest,
  deploy: Deploy,
): Promise<Outcome> {
  const { teamId, agentId } = request;
  const addressees = await addresseesOf(em, { agentId });
  const { triggerId, told } = await claimTrigger(em, {
    teamId,
    key: `${deploy.fingerprint}/${agentId ?? 'all'}`,
    kind: 'deploy',
    details: { ...deploy },
    now: deps.clock.now(),
    windowMs: SAME_DEPLOY_MS,
  });
  if (told) return { agents: told, repeated: true };
  const { launcher, log } = deps;
  const wanted = { triggerId, trigger: 'deploy' as const };
  const { agents, isPartial } = await tellAgents({ checkNow: launcher.checkNow, log }, addressees, wanted, true);
  if (!isPartial) await triggerTold(em, triggerId, agents);
  return { agents, repeated: false };
}
