/** An agent's health: what its workflow begins with, what it records, and what the row alone shows. */
import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import type { AgentRef, BeginMonitoringResult, RecordHealthInput } from '../contract.ts';
import { MonitoringAgent } from '../entities.ts';
import { observeHealth, notifyFindings } from '../findings/index.ts';
import type { MonitoringRunDeps } from '../deps.ts';
import { settingsOf } from './settings.ts';

/** What an agent's workflow needs when it starts, or starts again after it was lost. */
export async function beginMonitoring({ orm }: MonitoringRunDeps, ref: AgentRef): Promise<BeginMonitoringResult> {
  const em = forTeam(orm.em, ref.teamId);
  const agent = await em.findOne(MonitoringAgent, { id: ref.agentId });
  if (!agent) return { earlier: {} };
  const rows = await em.execute<{ check_id: string; started_ms: number; result_ms: number | null }[]>(
    `select check_id, (extract(epoch from max(started_at)) * 1000)::float8 as started_ms,
            (extract(epoch from max(finished_at) filter (where status in ('ok', 'finding'))) * 1000)::float8 as result_ms
       from monitoring_sessions where team_id = ? and agent_id = ? group by check_id`,
    [ref.teamId, ref.agentId],
  );
  const earlier = rows.map(({ check_id: checkId, started_ms: startedAt, result_ms: resultAt }) => [
    checkId,
    { startedAt, ...(resultAt === null ? {} : { resultAt }) },
  ]);
  return { settings: await settingsOf(em, agent), earlier: Object.fromEntries(earlier) };
}

/**
 * Records an agent's health in its row. A degraded agent is a finding, so people are notified once, and again when it
 * is over.
 */
export async function recordStanding(deps: MonitoringRunDeps, input: RecordHealthInput): Promise<void> {
  const { agentId, teamId, health, reasons, since, due } = input;
  const findings = await forTeam(deps.orm.em, teamId).transactional(async (tx) => {
    // Locked until its finding is committed, so that a deletion of the agent sees the finding.
    const agent = await tx.findOne(MonitoringAgent, { id: agentId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!agent) return [];
    tx.assign(agent, {
      health,
      healthReasons: reasons,
      healthSince: new Date(since),
      nextDueAt: dateOrNull(due.dueAt),
      silentAt: dateOrNull(due.silentAt),
    });
    await tx.flush();
    if (health === 'starting' || !agent.active) return [];
    return observeHealth(tx, { agent, health, reasons, at: deps.clock.now() });
  });
  await notifyFindings(deps.findings, findings);
}

/** Records when the next checks are due. */
export async function recordDue(
  em: EntityManager,
  agentId: string,
  { dueAt, silentAt }: { dueAt: number | null; silentAt: number | null },
): Promise<void> {
  const due = { nextDueAt: dateOrNull(dueAt), silentAt: dateOrNull(silentAt), updatedAt: new Date() };
  await em.nativeUpdate(MonitoringAgent, { id: agentId }, due);
}

/** `starting`: no check has produced a result yet. */
type AgentStatus = 'starting' | 'active' | 'paused' | 'degraded';

/** An agent's current health, even when no worker is left to notice that it is silent. */
export function healthOf(agent: MonitoringAgent, now: Date): { status: AgentStatus; reasons: string[] } {
  if (!agent.active) return { status: 'paused', reasons: [] };
  const reasons = agent.health === 'degraded' ? [...agent.healthReasons] : [];
  if (agent.silentAt && agent.silentAt < now && reasons.length === 0) {
    const since = agent.lastResultAt ? `since ${agent.lastResultAt.toISOString()}` : 'yet';
    reasons.push(`A check has had no result ${since}, for three periods or more.`);
  }
  if (reasons.length > 0) return { status: 'degraded', reasons };
  return { status: agent.health === 'starting' ? 'starting' : 'active', reasons };
}

const dateOrNull = (at: number | null): Date | null => (at === null ? null : new Date(at));
