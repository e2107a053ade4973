/**
 * Repairs what a crash between two systems leaves behind: changes that Temporal did not accept, agents without a
 * workflow, interrupted deletions. Also deletes old sessions. Every repair is idempotent: several workers may sweep at
 * once.
 */
import { raw } from '@mikro-orm/core';
import { anyTeam, forTeam } from '../../db/team-filter.ts';
import { repairEach } from '../runs/index.ts';
import { MonitoringAgent, MonitoringSession } from './entities.ts';
import type { MonitoringRunDeps } from './deps.ts';
import { purgeAgent, purgeAgentSessions } from './agent/delete.ts';
import { notifyAgent, type MonitoringServiceDeps } from './service.ts';
import { LOST } from './sessions/run-result.ts';

type AgentSweepDeps = MonitoringRunDeps & Pick<MonitoringServiceDeps, 'launcher'>;

interface AgentSweepOptions {
  /** How long a change may wait for delivery before the sweeper sends it again, ms. */
  graceMs: number;
  /** How long a check may be overdue before the sweeper asks Temporal for the agent's workflow, ms. */
  overdueMs: number;
  /** Maximum agents of each sort per sweep. */
  batch: number;
}

const defaults: AgentSweepOptions = { graceMs: 3_000, overdueMs: 30_000, batch: 100 };
/** A session that runs this long was lost with its worker, unless all workers were down: then it resumes. */
const LOST_SESSION_MS = 2 * 3_600_000;

/** One sweep over the agents of all teams. @returns how many it acted on */
export async function sweepAgents(deps: AgentSweepDeps, options: Partial<AgentSweepOptions> = {}): Promise<number> {
  const { graceMs, overdueMs, batch } = { ...defaults, ...options };
  const now = deps.clock.now().getTime();
  const ago = (ms: number): Date => new Date(now - ms);
  const repair = async (
    where: Parameters<typeof deps.orm.em.find<MonitoringAgent>>[1],
    work: (agent: MonitoringAgent) => Promise<void>,
  ): Promise<number> => {
    const found = await deps.orm.em.fork().find(MonitoringAgent, where, {
      filters: { team: false, present: false },
      limit: batch,
      orderBy: { updatedAt: 'asc' },
    });
    return repairEach(found, work, {
      log: deps.log,
      message: 'could not repair a monitoring agent',
      facts: ({ id: agentId }) => ({ agentId }),
    });
  };

  const pending = await repair(
    { deletedAt: null, updatedAt: { $lt: ago(graceMs) }, signalledRevision: { $lt: raw('revision') } },
    async ({ id, teamId }) => {
      await touch(deps, id, teamId);
      await notifyAgent(deps, forTeam(deps.orm.em, teamId), id);
    },
  );
  const overdue = await repair(
    {
      deletedAt: null,
      active: true,
      updatedAt: { $lt: ago(overdueMs) },
      $or: [{ nextDueAt: { $lt: ago(overdueMs) } }, { nextDueAt: null }],
    },
    async ({ id, teamId }) => {
      await touch(deps, id, teamId);
      // Its check may be late because workers are busy, or were down: then the workflow exists and continues.
      if ((await deps.launcher.state(id)) === 'running') return;
      deps.log.warn({ agentId: id }, 'the workflow of a monitoring agent is missing; starting it again');
      await notifyAgent(deps, forTeam(deps.orm.em, teamId), id);
    },
  );
  const deleted = await repair({ deletedAt: { $lt: ago(overdueMs) } }, async ({ id, teamId }) => {
    await touch(deps, id, teamId);
    // Cancelling a workflow that has ended otherwise succeeds too, without effect.
    if ((await deps.launcher.state(id)) === 'running') await deps.launcher.end(id);
    else await purgeAgent(deps, { agentId: id, teamId });
  });
  return pending + overdue + deleted;
}

/** Records that the sweep handled an agent, so that the next one begins with others. */
async function touch({ orm, clock }: AgentSweepDeps, id: string, teamId: string): Promise<void> {
  const filters = { present: false };
  await forTeam(orm.em, teamId).nativeUpdate(MonitoringAgent, { id }, { updatedAt: clock.now() }, { filters });
}

/**
 * Deletes sessions beyond their agents' retention, and ends those that were lost with their worker.
 * @returns how many were deleted
 */
export async function evictSessions(deps: Pick<MonitoringRunDeps, 'orm' | 'clock' | 'events'>): Promise<number> {
  const { orm, clock } = deps;
  const now = clock.now();
  const lost = new Date(now.getTime() - LOST_SESSION_MS);
  await orm.em
    .fork()
    .nativeUpdate(
      MonitoringSession,
      { status: 'running', startedAt: { $lt: lost } },
      { status: 'failed', summary: LOST, finishedAt: now, updatedAt: now },
      anyTeam,
    );
  const due = await orm.em.fork().execute<{ id: string; team_id: string; before: string }[]>(
    `select a.id, a.team_id, ?::timestamptz - a.eviction_hours * interval '1 hour' as before
       from monitoring_agents a
      where a.deleted_at is null and exists (
        select 1 from monitoring_sessions s
         where s.agent_id = a.id and s.status <> 'running'
           and s.started_at < ?::timestamptz - a.eviction_hours * interval '1 hour')`,
    [now, now],
  );
  let evicted = 0;
  for (const { id, team_id: teamId, before } of due) {
    evicted += await purgeAgentSessions(deps, forTeam(orm.em, teamId), id, { before: new Date(before) });
  }
  return evicted;
}
