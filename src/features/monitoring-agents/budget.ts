import type { EntityManager } from '../../db/orm.ts';
import { MonitoringAgent } from './entities.ts';
import { judgingCostSince } from './findings/index.ts';

const DAY_MS = 24 * 3_600_000;

/**
 * Whether an agent has spent what its models may cost within 24 hours: instruction checks and judged findings together.
 * @param em bound to the agent's team
 */
export async function isBudgetSpent(em: EntityManager, agentId: string, now: Date): Promise<boolean> {
  const agent = await em.findOne(MonitoringAgent, { id: agentId });
  if (!agent) return false;
  const since = new Date(now.getTime() - DAY_MS);
  const [row] = await em.execute<{ cost: number }[]>(
    `select coalesce(sum(cost_usd), 0)::float8 as cost from monitoring_sessions
      where team_id = ? and agent_id = ? and started_at >= ? and cost_usd > 0`,
    [agent.teamId, agentId, since],
  );
  const spent = (row?.cost ?? 0) + (await judgingCostSince(em, agentId, since));
  return spent >= agent.modelBudgetUsdPerDay;
}
