import type { EntityManager } from '../../../db/orm.ts';
import type { Deploy } from './port.ts';
import type { Outcome, TriggerRequest, TriggerServiceDeps } from './service.ts';
import { addresseesOf, onceForKey, notifyAgents } from './notify-agents.ts';

/** A deploy reported again within this time is the same deploy. */
export const SAME_DEPLOY_MS = 10 * 60_000;

/**
 * Has agents run their checks right after a deploy.
 * @returns the notified agents; for a repetition within {@link SAME_DEPLOY_MS} the earlier answer
 * @throws {DependencyDown} when no agent could be notified: a repetition notifies them
 */
export async function receiveDeploy(
  { clock, launcher, log }: TriggerServiceDeps,
  em: EntityManager,
  { teamId, agentId }: TriggerRequest,
  { fingerprint }: Deploy,
): Promise<Outcome> {
  const addressees = await addresseesOf(em, { agentId });
  const key = `${fingerprint}/${agentId ?? 'all'}`;
  return onceForKey(em, { teamId, key, keptForMs: SAME_DEPLOY_MS, now: clock.now() }, (triggerId) =>
    notifyAgents({ checkNow: launcher.checkNow, log }, addressees, { triggerId, trigger: 'deploy' }, true),
  );
}
