import type { EntityManager } from '../../db/orm.ts';
import { MonitoringAgent, MonitoringPlanVersion } from './entities.ts';

/** An agent with what a list shows of it. */
export interface ListedAgent {
  agent: MonitoringAgent;
  checks: number;
  summary: string;
  openFindings: number;
  /** Of its newest notification, when that could not be delivered so far. */
  notificationError: string | null;
}

/** The team's agents, by title. @param em bound to the team */
export async function listAgents(em: EntityManager): Promise<ListedAgent[]> {
  return withFacts(em, await em.find(MonitoringAgent, {}, { orderBy: { title: 'asc', id: 'asc' } }));
}

/** @param agents of one team, to which `em` is bound */
export async function withFacts(em: EntityManager, agents: MonitoringAgent[]): Promise<ListedAgent[]> {
  if (agents.length === 0) return [];
  const ids = agents.map(({ id }) => id);
  const teamId = agents[0]!.teamId;
  const newest = agents.map(({ id: agentId, planVersion: version }) => ({ agentId, version }));
  const [plans, open, errors] = await Promise.all([
    em.fork().find(MonitoringPlanVersion, { $or: newest }, { fields: ['agentId', 'plan'] }),
    em.fork().execute<{ agent_id: string; n: number }[]>(
      `select agent_id, count(*)::int as n from monitoring_findings
        where team_id = ? and agent_id = any(?::uuid[]) and status = 'open' group by agent_id`,
      [teamId, arrayOf(ids)],
    ),
    em.fork().execute<{ agent_id: string; last_error: string | null }[]>(
      `select distinct on (agent_id) agent_id, last_error from monitoring_notifications
        where team_id = ? and agent_id = any(?::uuid[]) and status <> 'skipped' and event <> 'test'
        order by agent_id, created_at desc`,
      [teamId, arrayOf(ids)],
    ),
  ]);
  return agents.map((agent) => {
    const plan = plans.find(({ agentId }) => agentId === agent.id)?.plan;
    return {
      agent,
      checks: plan?.checks.filter(({ enabled }) => enabled).length ?? 0,
      summary: plan?.summary ?? '',
      openFindings: open.find(({ agent_id: id }) => id === agent.id)?.n ?? 0,
      notificationError: errors.find(({ agent_id: id }) => id === agent.id)?.last_error ?? null,
    };
  });
}

/** An array of UUIDs as PostgreSQL reads one from text. */
const arrayOf = (ids: readonly string[]): string => `{${ids.join(',')}}`;
