/** Carries out the checks that need no model: several at once, each recorded as a session. */
import { forTeam } from '../../../db/team-filter.ts';
import { mapConcurrently } from '../../../platform/concurrency.ts';
import type { Actor } from '../../../http/authenticate.ts';
import { isUnreachable } from '../../../platform/unreachable.ts';
import { uuidOf } from '../../../platform/uuid.ts';
import { messageOf } from '../../../platform/message-of.ts';
import type { Attempt } from '../../runs/index.ts';
import type { SourceCatalog } from '../../sources/port.ts';
import { createToolRegistry, type ToolRegistry } from '../../tools/index.ts';
import { isBudgetSpent } from '../agent/budget.ts';
import { runCheapCheck } from '../checks/index.ts';
import type { CheapSubject, CheckContext, CheckResult } from '../checks/port.ts';
import {
  isResult,
  type Check,
  type CheckRun,
  type CheckRunResult,
  type DueTimes,
  type RunChecksInput,
  type RunChecksResult,
} from '../contract.ts';
import type { MonitoringRunDeps } from '../deps.ts';
import { faultsOfCheck, notifyFindings } from '../findings/index.ts';
import { dueTimes } from '../schedule/index.ts';
import { planAndActor } from '../agent/settings.ts';
import { recordDue } from '../agent/health.ts';
import { beginSessions } from './begin-session.ts';
import { endSession, type SessionResult } from './end-session.ts';

/** Deadline for a source's answer. */
const CHECK_TIMEOUT_MS = 30_000;
/** Maximum concurrent checks of one agent. */
const WIDTH = 8;

interface CheapRun {
  check: Check & { check: CheapSubject };
  run: CheckRun;
}

/**
 * Runs checks and stores their results. Idempotent by session: a check that an earlier attempt ended does not run
 * again.
 * @param serverNow Temporal's clock, unix milliseconds: due times follow it
 * @throws only when the attempt is aborted, or the database is down
 */
export async function runChecks(
  deps: MonitoringRunDeps,
  input: RunChecksInput,
  attempt: Pick<Attempt, 'signal' | 'cancelRequested'>,
  serverNow: () => number,
): Promise<RunChecksResult> {
  const { agentId, teamId, planVersion, others } = input;
  const { plan, actor } = await planAndActor(forTeam(deps.orm.em, teamId), agentId, planVersion);
  const runs = input.runs.flatMap((run): CheapRun[] => {
    const check = plan.checks.find(({ id }) => id === run.checkId);
    return check && isCheap(check) ? [{ check, run }] : [];
  });
  const agent = { agentId, teamId };
  const ended = await beginSessions(deps, { agent, planVersion, runs, at: deps.clock.now() });
  const results = await mapConcurrently(runs, WIDTH, async ({ check, run }) => {
    const earlier = ended.find(({ sessionId }) => sessionId === run.sessionId);
    if (earlier) return { run, check, result: earlier };
    const said = await carryOut(deps, input, { check, run, actor }, attempt);
    const end = await endSession(deps, { agent, sessionId: run.sessionId, check, result: said, at: deps.clock.now() });
    // Stored at once, because another check of the batch may take long.
    await notifyFindings(deps.findings, end.findings);
    return { run, check, result: end.result };
  });
  const isUnjudged =
    runs.some(({ check }) => check.judge) &&
    (await isBudgetSpent(forTeam(deps.orm.em, teamId), agentId, deps.clock.now()));
  const answer = results.map(({ run, check, result }) => ({
    result: isUnjudged && check.judge ? { ...result, budgetSpent: true as const } : result,
    next: nextOf(agentId, check, run, result, serverNow()),
  }));
  await record(deps, input, answer, others);
  return { results: answer };
}

async function carryOut(
  deps: MonitoringRunDeps,
  input: RunChecksInput,
  { check, run, actor }: CheapRun & { actor: Actor },
  attempt: Pick<Attempt, 'signal' | 'cancelRequested'>,
): Promise<SessionResult> {
  const timeout = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  const signal = AbortSignal.any([attempt.signal, timeout]);
  try {
    const context = await contextOf(deps, input.agentId, {
      checkId: run.checkId,
      sessionId: run.sessionId,
      actor,
      signal,
    });
    return await runCheapCheck(check.check, context);
  } catch (error) {
    // The source, or its connector, did not stop in time.
    if (attempt.signal.aborted) {
      if (!attempt.cancelRequested()) throw error;
      return { status: 'cancelled', summary: 'Superseded: the plan changed, or the agent was paused.' };
    }
    if (timeout.aborted) return failed(`No answer within ${CHECK_TIMEOUT_MS / 1_000} s.`);
    // The database comes back eventually, so its errors are retried. Any other error would recur and hold up the whole
    // batch.
    if (isUnreachable(error)) throw error;
    deps.log.error({ err: error, agentId: input.agentId, checkId: run.checkId }, 'could not carry out a check');
    return failed(`The check failed: ${messageOf(error)}`);
  }
}

const failed = (summary: string): CheckResult => ({ status: 'failed', summary, observations: [], evidence: [] });

async function contextOf(
  deps: MonitoringRunDeps,
  agentId: string,
  { checkId, sessionId, actor, signal }: Pick<CheckContext, 'sessionId' | 'actor' | 'signal'> & { checkId: string },
): Promise<CheckContext> {
  const { clock } = deps;
  const { teamId } = actor;
  const sources: SourceCatalog = await deps.sources({ teamId, toolCallId: uuidOf(`check:${sessionId}`), clock });
  let tools: Promise<ToolRegistry> | undefined;
  return {
    teamId,
    agentId,
    sessionId,
    actor,
    sources,
    faults: (since) => faultsOfCheck(forTeam(deps.orm.em, teamId), { agentId, checkId, since }),
    tools: () => (tools ??= readingTools(deps, teamId)),
    clock,
    signal,
  };
}

/** The team's own tools, without those that have side effects. */
async function readingTools({ teamTools }: MonitoringRunDeps, teamId: string): Promise<ToolRegistry> {
  const { tools } = await teamTools(teamId);
  return createToolRegistry(tools.filter(({ sideEffect }) => !sideEffect));
}

function nextOf(agentId: string, check: Check, run: CheckRun, result: CheckRunResult, now: number): DueTimes {
  // A run that took longer than its interval missed nothing: it was running.
  const { dueAt, silentAt } = dueTimes(check.schedule, {
    agentId,
    checkId: check.id,
    now,
    lastScheduledAt: now,
    lastResultAt: isResult(result.status) ? now : undefined,
  });
  return { dueAt, silentAt, missed: 0 };
}

async function record(
  { orm }: MonitoringRunDeps,
  { agentId, teamId }: RunChecksInput,
  answer: RunChecksResult['results'],
  others: RunChecksInput['others'],
): Promise<void> {
  const least = (times: (number | null)[]): number | null => {
    const known = times.filter((time) => time !== null);
    return known.length > 0 ? Math.min(...known) : null;
  };
  await recordDue(forTeam(orm.em, teamId), agentId, {
    dueAt: least([others.dueAt, ...answer.map(({ next }) => next.dueAt)]),
    silentAt: least([others.silentAt, ...answer.map(({ next }) => next.silentAt)]),
  });
}

const isCheap = (check: Check): check is CheapRun['check'] => check.check.type !== 'instruction';
