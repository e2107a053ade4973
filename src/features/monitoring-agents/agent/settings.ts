import { createHash } from 'node:crypto';
import type { EntityManager } from '../../../db/orm.ts';
import { actorOf, type Actor } from '../../../http/authenticate.ts';
import type { AgentSettings, PlannedCheck } from '../contract.ts';
import { type MonitoringAgent, MonitoringPlanVersion } from '../entities.ts';
import { Plan } from '../plan/schema.ts';

/** Shown for an agent without a channel. */
const NO_CHANNEL = 'none configured';

/** A plan as stored, with members in the schema's order, because plans are compared as text. */
export const canonicalPlan = (stored: Plan): Plan => Plan.parse(stored);

/** The plan of one version. @throws for an unknown version */
export async function planOf(em: EntityManager, agentId: string, version: number): Promise<Plan> {
  return (await planAndActor(em, agentId, version)).plan;
}

/** The plan of one version, and the actor its checks run for. @throws for an unknown version */
export async function planAndActor(
  em: EntityManager,
  agentId: string,
  version: number,
): Promise<{ plan: Plan; actor: Actor }> {
  const row = await em.findOneOrFail(MonitoringPlanVersion, { agentId, version });
  return { plan: canonicalPlan(row.plan), actor: actorOf(row) };
}

/** What a workflow sees of a plan: operators read histories, and they are kept. */
export const plannedBy = ({ checks }: Plan): { checks: PlannedCheck[] } => ({
  checks: checks.map((check) => {
    const { id, title, enabled, schedule, check: subject } = check;
    const digest = createHash('sha256').update(JSON.stringify(check)).digest('base64url').slice(0, 22);
    const planned: PlannedCheck['check'] =
      subject.type === 'instruction'
        ? { type: subject.type, max_minutes: subject.max_minutes }
        : { type: subject.type };
    return { id, title, enabled, schedule, check: planned, digest };
  }),
});

/** What the workflow of an agent carries out. @param em bound to its team */
export async function settingsOf(em: EntityManager, agent: MonitoringAgent): Promise<AgentSettings> {
  const { revision, title, active, planVersion, channel, evictionHours, modelBudgetUsdPerDay } = agent;
  return {
    revision,
    title,
    active,
    planVersion,
    plan: plannedBy(await planOf(em, agent.id, planVersion)),
    config: { channel: channel?.label ?? NO_CHANNEL, evictionHours, modelBudgetUsdPerDay },
  };
}
