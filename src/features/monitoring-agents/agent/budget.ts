import type { EntityManager } from '../../../db/orm.ts';
import { MonitoringAgent } from '../entities.ts';
import { judgingCostSince } from '../findings/index.ts';

/** The window over which model cost is summed. */
export const BUDGET_MS = 24 * 3_600_000;

/** Whether an agent has spent its model budget for 24 hours. @param em bound to the agent's team */
export const isBudgetSpent = async (em: EntityManager, agentId: string, now: Date): Promise<boolean> =>
  (await budgetLeft(em, agentId, now)) <= 0;

/**
 * What is left of an agent's model budget for 24 hours, in US dollars. Counts instruction checks, including running
 * ones, and judged findings.
 * @param em bound to the agent's team
 * @returns Infinity for an unknown agent
 */
export async function budgetLeft(em: EntityManager, agentId: string, now: Date): Promise<number> {
  const agent = await em.findOne(MonitoringAgent, { id: agentId });
  if (!agent) return Infinity;
  const since = new Date(now.getTime() - BUDGET_MS);
  // An ended session's row holds its cost; a running session's cost is summed from its model calls.
  const [row] = await em.execute<{ cost: number }[]>(
    `select coalesce(sum(session.cost_usd), 0)::float8 + coalesce(sum(asked.cost) filter (where session.cost_usd = 0), 0)::float8 as cost
       from monitoring_sessions session
       left join lateral (
         select sum(call.cost_usd) as cost from (
           select cost_usd from model_turns where conversation_id = session.id
           union all select cost_usd from auxiliary_calls where conversation_id = session.id
         ) call where session.cost_usd = 0
       ) asked on true
      where session.team_id = ? and session.agent_id = ? and session.started_at >= ? and session.check_type = 'instruction'`,
    [agent.teamId, agentId, since],
  );
  const spent = (row?.cost ?? 0) + (await judgingCostSince(em, agentId, since));
  return agent.modelBudgetUsdPerDay - spent;
}
