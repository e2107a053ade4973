import type { EntityManager } from '../../../db/orm.ts';
import { agentIsPaused } from '../errors.ts';
import { addresseesOf, notifyAgents, onceForKey, PAUSED, TRIGGER_RETENTION_MS } from './notify-agents.ts';
import type { Deploy } from './port.ts';
import type { Outcome, TriggerRequest, TriggerServiceDeps } from './service.ts';

/** A deploy reported again within this time is the same deploy. */
const SAME_DEPLOY_MS = 10 * 60_000;

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

/**
 * Runs checks of one agent, or of all active ones, now. An Idempotency-Key makes it happen once.
 * @throws {Conflict} when the named agent is paused, or the key was used for another request
 * @throws {DependencyDown} when no agent could be notified
 */
export async function receiveCheckNow(
  { clock, launcher, log }: TriggerServiceDeps,
  em: EntityManager,
  { teamId, agentId, idempotencyKey }: TriggerRequest,
  checkIds: string[] | undefined,
): Promise<Outcome> {
  const addressees = await addresseesOf(em, { agentId, checkIds });
  if (agentId !== undefined && addressees[0]?.skipped === PAUSED) throw agentIsPaused();
  const once = idempotencyKey !== undefined && {
    teamId,
    key: `check_now/${idempotencyKey}`,
    request: [agentId ?? null, checkIds ?? null],
    keptForMs: TRIGGER_RETENTION_MS,
    now: clock.now(),
  };
  return onceForKey(em, once || undefined, (triggerId) =>
    notifyAgents({ checkNow: launcher.checkNow, log }, addressees, { triggerId, trigger: 'now' }, true),
  );
}
