import { LockMode } from '@mikro-orm/core';
import type { Orm } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import type { AgentRef, Check, CheckRun, CheckRunResult } from '../contract.ts';
import { MonitoringAgent, MonitoringSession } from '../entities.ts';
import { AGENT_DELETED, cancelledRun, runResult } from './run-result.ts';

interface StartedSessions {
  agent: AgentRef;
  planVersion: number;
  /** Each with its check from that version of the plan. */
  runs: readonly { check: Check; run: CheckRun }[];
  at: Date;
}

/**
 * Records the start of checks, all in one transaction. Idempotent by session.
 * @returns the runs that must not start: ended ones with their result; for a deleted agent all of them, as cancelled,
 *   and nothing is stored
 */
export async function beginSessions(
  { orm }: { orm: Orm },
  { agent: { agentId, teamId }, planVersion, runs, at }: StartedSessions,
): Promise<CheckRunResult[]> {
  return forTeam(orm.em, teamId).transactional(async (tx) => {
    // Locked until the sessions are committed, so that a deletion of the agent finds them.
    const agent = await tx.findOne(MonitoringAgent, { id: agentId }, { lockMode: LockMode.PESSIMISTIC_READ });
    if (!agent) return runs.map(({ run }) => cancelledRun(run, AGENT_DELETED, at));
    const known = await tx.find(MonitoringSession, { id: { $in: runs.map(({ run }) => run.sessionId) } });
    for (const { check, run } of runs) {
      if (known.some(({ id }) => id === run.sessionId)) continue;
      tx.create(MonitoringSession, {
        id: run.sessionId,
        teamId,
        agentId,
        checkId: run.checkId,
        checkType: check.check.type,
        title: check.title,
        planVersion,
        trigger: run.trigger,
        status: 'running',
        scheduledAt: new Date(run.scheduledAt),
        startedAt: at,
        finishedAt: null,
        missed: run.missed,
        summary: null,
        model: null,
      });
    }
    return known.flatMap((session) => runResult(session) ?? []);
  });
}
