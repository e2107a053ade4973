import type { EntityManager } from '../../db/orm.ts';
import { MonitoringAgent } from './entities.ts';

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

interface Facts {
  id: string;
  summary: string | null;
  checks: number;
  open_findings: number;
  last_error: string | null;
}

/** @param agents of one team, to which `em` is bound */
export async function withFacts(em: EntityManager, agents: MonitoringAgent[]): Promise<ListedAgent[]> {
  if (agents.length === 0) return [];
  // Each agent is looked up by an index: they have many plans, findings and notifications that a list does not show.
  const rows = await em.fork().execute<Facts[]>(
    `select agent.id, coalesce(plan.plan->>'summary', '') as summary,
            (select count(*)::int from jsonb_array_elements(plan.plan->'checks') as one ("check")
              where coalesce((one."check"->>'enabled')::boolean, true)) as checks,
            (select count(*)::int from monitoring_findings finding
              where finding.agent_id = agent.id and finding.status <> 'closed' and finding.status = 'open') as open,
            (select told.last_error from monitoring_notifications told
              where told.agent_id = agent.id and told.status <> 'skipped' and told.event <> 'test'
              order by told.created_at desc limit 1) as error
       from monitoring_agents agent
       left join monitoring_plan_versions plan on plan.agent_id = agent.id and plan.version = agent.plan_version
      where agent.team_id = ? and agent.id = any(?::uuid[])`,
    [agents[0]!.teamId, arrayOf(agents.map(({ id }) => id))],
  );
  const facts = new Map(rows.map((row) => [row.id, row]));
  return agents.map((agent) => {
    const { checks = 0, summary = '', open = 0, error = null } = facts.get(agent.id) ?? {};
    return { agent, checks, summary, openFindings: open, notificationError: error };
  });
}

interface Facts {
  id: string;
  checks: number;
  summary: string;
  open: number;
  error: string | null;
}

/** An array of UUIDs as PostgreSQL reads one from text. */
const arrayOf = (ids: readonly string[]): string => `{${ids.join(',')}}`;
