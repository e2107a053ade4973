import { oneLine } from '../../tools/index.ts';
import type { CheckRunResult } from '../contract.ts';
import type { MonitoringSession } from '../entities.ts';

const DIGEST_CHARACTERS = 200;

/** The summary of a session that did not end in time. A worker that still returns to it resumes it. */
export const LOST = 'The process that ran it was lost.';

/** What the agent's workflow learns of an ended session; undefined while it runs, or counts as lost. */
export function runResult(session: Omit<MonitoringSession, 'evidence'>): CheckRunResult | undefined {
  const { id, checkId, status, startedAt, finishedAt, summary, budgetSpent } = session;
  if (status === 'running' || finishedAt === null || summary === LOST) return undefined;
  return {
    checkId,
    sessionId: id,
    status,
    digest: oneLine(summary ?? status, DIGEST_CHARACTERS),
    finishedAt: finishedAt.getTime(),
    durationMs: Math.max(0, finishedAt.getTime() - startedAt.getTime()),
    ...(budgetSpent && { budgetSpent }),
  };
}

/** For a run that is no longer wanted: nothing is stored. */
export function cancelledRun(
  { checkId, sessionId }: { checkId: string; sessionId: string },
  digest: string,
  at: Date,
): CheckRunResult {
  return { checkId, sessionId, status: 'cancelled', digest, finishedAt: at.getTime(), durationMs: 0 };
}

export const AGENT_DELETED = 'The agent was deleted.';
