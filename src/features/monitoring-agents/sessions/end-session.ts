import { LockMode } from '@mikro-orm/core';
import type { EntityManager, Orm } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import { storableJson } from '../../../platform/storable.ts';
import { oneLine } from '../../tools/index.ts';
import { MAX_OBSERVATIONS, type CheckResult } from '../checks/port.ts';
import { isResult, type AgentRef, type Check, type CheckRunResult } from '../contract.ts';
import { MonitoringAgent, MonitoringSession, type Finding } from '../entities.ts';
import { observeSession } from '../findings/observe.ts';
import { planOf } from '../agent/settings.ts';
import { AGENT_DELETED, cancelledRun, runResult } from './run-result.ts';

/** How a run of a check ended: with a result, or cancelled. */
export type SessionResult = CheckResult | { status: 'cancelled'; summary: string };

export interface SessionEnd {
  agent: AgentRef;
  sessionId: string;
  /** As it was during the run. */
  check: Check;
  result: SessionResult;
  at: Date;
  /** Model usage; absent for a check without a model. */
  spent?: Pick<MonitoringSession, 'costUsd' | 'inputTokens' | 'outputTokens' | 'model'>;
  /** It did not run because the daily model budget was spent. */
  budgetSpent?: boolean;
}

interface EndedSession {
  result: CheckRunResult;
  /**
   * The changed findings, whose workflows are notified after the commit. Empty when another attempt has ended the
   * session.
   */
  findings: Finding[];
}

const SUMMARY_CHARACTERS = 200;
const NOT_WANTED = 'Superseded: the plan changed, or the agent was paused.';

/**
 * Ends a session and applies its observations to findings, in one transaction. Idempotent: a stored end stays. Stores
 * nothing for a deleted agent.
 */
export async function endSession({ orm }: { orm: Orm }, end: SessionEnd): Promise<EndedSession> {
  const { agent: ref, sessionId, check, at } = end;
  const run = { checkId: check.id, sessionId };
  return forTeam(orm.em, ref.teamId).transactional(async (tx) => {
    const lockMode = LockMode.PESSIMISTIC_WRITE;
    // Serialised: sessions of an agent that end at once may concern the same finding.
    const agent = await tx.findOne(MonitoringAgent, { id: ref.agentId }, { lockMode });
    const session = await tx.findOne(MonitoringSession, { id: sessionId }, { lockMode });
    if (!agent || !session) return { result: cancelledRun(run, AGENT_DELETED, at), findings: [] };
    const stored = runResult(session);
    if (stored) return { result: stored, findings: [] };

    const isWanted = await isStillWanted(tx, agent, session, check);
    const result: SessionResult = isWanted ? storableJson(end.result) : { status: 'cancelled', summary: NOT_WANTED };
    const summary = oneLine(result.summary, SUMMARY_CHARACTERS);
    tx.assign(session, {
      ...end.spent,
      status: result.status,
      finishedAt: at,
      summary,
      budgetSpent: end.budgetSpent ?? false,
    });
    if (result.status !== 'cancelled') {
      const observations = result.observations.slice(0, MAX_OBSERVATIONS);
      tx.assign(session, { observations, evidence: result.evidence });
    }
    if (isResult(result.status)) agent.lastResultAt = at;
    await tx.flush();
    const findings =
      result.status === 'cancelled'
        ? []
        : await observeSession(tx, { agent: { id: agent.id, teamId: ref.teamId }, check, sessionId, result, at });
    await tx.flush();
    return { result: runResult(session) ?? cancelledRun(run, summary, at), findings };
  });
}

/** Decided under the agent's lock, so that nothing is reported after a pause or a change of the check was accepted. */
async function isStillWanted(
  tx: EntityManager,
  agent: MonitoringAgent,
  { planVersion }: Pick<MonitoringSession, 'planVersion'>,
  check: Check,
): Promise<boolean> {
  if (!agent.active) return false;
  if (agent.planVersion === planVersion) return true;
  const { checks } = await planOf(tx, agent.id, agent.planVersion);
  return JSON.stringify(checks.find(({ id }) => id === check.id)) === JSON.stringify(check);
}
