import type { EntityManager } from '../../../db/orm.ts';
import { MonitoringAgent, MonitoringPlanVersion } from '../entities.ts';

/**
 * The agents whose current plan names one of these sources or tools, by title.
 * @param em bound to the team
 * @param names of lower-case letters, digits, `:`, `-` and `_`
 */
export async function agentsThatName(
  em: EntityManager,
  names: readonly string[],
): Promise<Pick<MonitoringAgent, 'id' | 'title'>[]> {
  const agents = await em.find(MonitoringAgent, {}, { orderBy: { title: 'asc' } });
  if (agents.length === 0) return [];
  const plans = await em.find(MonitoringPlanVersion, {
    $or: agents.map(({ id, planVersion }) => ({ agentId: id, version: planVersion })),
  });
  // `integration:orders` is not part of `integration:orders-db`.
  const named = new RegExp(`(?<![\\w:-])(?:${names.join('|')})(?![\\w:-])`, 'u');
  const naming = new Set(plans.filter(({ plan }) => named.test(JSON.stringify(plan))).map(({ agentId }) => agentId));
  return agents.filter(({ id }) => naming.has(id));
}
