import type { EntityManager } from '../../db/orm.ts';
import { MonitoringAgent } from './entities.ts';

/** An agent with what a list shows of it. */
export interface ListedAgent {
  agent: MonitoringAgent;
  checks: number;
  summary: string;
  openFindings: number;
  /** Error of the newest notification while it is undelivered. */
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
  // Plans stay in the database: a list shows two facts of each, and thousands of plans are large.
  const rows = await em.fork().execute<Facts[]>(
    `select a.id, v.plan->>'summary' as summary,
            (select count(*) from jsonb_array_elements(v.plan->'checks') c where (c->>'enabled')::boolean)::int as checks,
            (select count(*) from monitoring_findings f where f.agent_id = a.id and f.status = 'open')::int as open_findings,
            (select e.last_error from effects e
              where e.owner_id = a.id and e.subject_id is not null and e.kind = 'notification' and e.status <> 'skipped'
              order by e.created_at desc limit 1) as last_error
       from monitoring_agents a
       join monitoring_plan_versions v on v.agent_id = a.id and v.version = a.plan_version
      where a.team_id = ? and a.id = any(?::uuid[])`,
    [agents[0]!.teamId, `{${agents.map(({ id }) => id).join(',')}}`],
  );
  const facts = new Map(rows.map((row) => [row.id, row]));
  return agents.map((agent) => {
    const known = facts.get(agent.id);
    return {
      agent,
      checks: known?.checks ?? 0,
      summary: known?.summary ?? '',
      openFindings: known?.open_findings ?? 0,
      notificationError: known?.last_error ?? null,
    };
  });
}
