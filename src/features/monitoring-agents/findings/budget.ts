import type { EntityManager } from '../../../db/orm.ts';

/**
 * What judging an agent's findings cost, in US dollars.
 * @param em bound to the agent's team
 * @param since counts model calls from this time on
 */
export async function judgingCostSince(em: EntityManager, agentId: string, since: Date): Promise<number> {
  const sql = `select coalesce(sum(call.cost_usd), 0)::float8 as cost from monitoring_findings finding
    join auxiliary_calls call on call.conversation_id = finding.id and call.purpose = 'judgement'
    where finding.agent_id = ? and call.created_at >= ?`;
  const [row] = await em.execute<{ cost: number }[]>(sql, [agentId, since]);
  return row?.cost ?? 0;
}
