import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '../../../db/orm.ts';
import { forTeam } from '../../../db/team-filter.ts';
import type { Actor } from '../../../http/authenticate.ts';
import type { RunBudget } from '../../runs/contract.ts';
import { newRun, Run } from '../../runs/index.ts';
import { Conversation } from '../../transcripts/index.ts';
import { budgetLeft } from '../agent/budget.ts';
import type { BeginInstructionCheckResult, Check, CheckRunResult, InstructionCheckInput } from '../contract.ts';
import type { MonitoringRunDeps } from '../deps.ts';
import { MonitoringAgent, MonitoringPlanVersion, MonitoringSession } from '../entities.ts';
import { beginSessions } from '../sessions/begin-session.ts';
import { endSession } from '../sessions/end-session.ts';
import { AGENT_DELETED, cancelledRun } from '../sessions/run-result.ts';
import { planAndActor, planOf } from '../agent/settings.ts';
import { openingMessage, type OpeningFacts } from './prompt.ts';

export interface InstructionCheckDeps extends Pick<MonitoringRunDeps, 'orm' | 'events' | 'clock' | 'findings'> {
  /** Bounds for every run; those of the check and of the agent narrow them. */
  checkBudget: RunBudget;
}

export type InstructionCheckRun = Pick<InstructionCheckInput, 'agentId' | 'teamId' | 'planVersion' | 'run'>;
type CarriedOut = Check & { check: Extract<Check['check'], { type: 'instruction' }> };

const BUDGET_SPENT = 'The daily model budget is spent: the check did not run.';

/**
 * Opens the session and the conversation of a check that a model carries out. Idempotent.
 * @returns the bounds of the run; `ended` if there is nothing left to do: it has already run, is no longer wanted, or
 *   the model budget is spent
 */
export async function beginInstructionCheck(
  deps: InstructionCheckDeps,
  input: InstructionCheckRun,
): Promise<BeginInstructionCheckResult> {
  const { agentId, teamId, planVersion, run } = input;
  const { checkBudget: budget } = deps;
  const em = (): EntityManager => forTeam(deps.orm.em, teamId);
  const at = deps.clock.now();
  const cancelled = (why: string) => ({ budget, ended: cancelledRun(run, why, at) });

  const agent = await em().findOne(MonitoringAgent, { id: agentId });
  if (!agent) return cancelled(AGENT_DELETED);
  if (!agent.active) return cancelled('The agent is paused.');
  const planned = await instructionOf(em(), input);
  const check = planned?.check;
  if (!check) return cancelled('The plan no longer has this check.');
  if (agent.planVersion !== planVersion && !(await isStillPlanned(em(), agent, check))) {
    return cancelled('The plan was changed.');
  }

  const [ended] = await beginSessions(deps, { agent: { agentId, teamId }, planVersion, runs: [{ check, run }], at });
  if (ended) return { budget, ended };
  const left = await budgetLeft(em(), agentId, at);
  if (left <= 0) return { budget, ended: await endUnpaid(deps, input, check, at) };
  return {
    budget: await openRun(em(), input, {
      check,
      actor: planned.actor,
      budget: narrowed(budget, check, left),
      at,
    }),
  };
}

/** The check from the run's plan version, and on whose behalf it is carried out. @param em bound to the agent's team */
export async function instructionOf(
  em: EntityManager,
  input: InstructionCheckRun,
): Promise<{ check: CarriedOut; actor: Actor } | undefined> {
  const { agentId, planVersion, run } = input;
  if ((await em.count(MonitoringPlanVersion, { agentId, version: planVersion })) === 0) return undefined;
  const { plan, actor } = await planAndActor(em, agentId, planVersion);
  const isIt = (check: Check): check is CarriedOut => check.id === run.checkId && check.check.type === 'instruction';
  const check = plan.checks.find(isIt);
  return check && { check, actor };
}

async function isStillPlanned(em: EntityManager, agent: MonitoringAgent, check: Check): Promise<boolean> {
  const { checks } = await planOf(em, agent.id, agent.planVersion);
  const now = checks.find(({ id }) => id === check.id);
  return now !== undefined && now.enabled && JSON.stringify(now.check) === JSON.stringify(check.check);
}

async function endUnpaid(
  deps: InstructionCheckDeps,
  { agentId, teamId, run }: InstructionCheckRun,
  check: Check,
  at: Date,
): Promise<CheckRunResult> {
  const { result } = await endSession(deps, {
    agent: { agentId, teamId },
    sessionId: run.sessionId,
    check,
    result: { status: 'failed', summary: BUDGET_SPENT, observations: [], evidence: [] },
    at,
    budgetSpent: true,
  });
  return result;
}

/** @returns the bounds of the run, which an earlier attempt may have set */
async function openRun(
  em: EntityManager,
  { agentId, teamId, run }: InstructionCheckRun,
  { check, actor, budget, at }: { check: CarriedOut; actor: Actor; budget: RunBudget; at: Date },
): Promise<RunBudget> {
  const id = run.sessionId;
  const known = await em.findOne(Run, { id });
  if (known) return { ...budget, ...known.budget };
  const {
    title,
    check: { instruction },
  } = check;
  const earlier = await earlierSubjects(em, { agentId, checkId: run.checkId });
  const opening = openingMessage({ title, instruction, now: at, earlier });
  em.create(Conversation, { id, teamId, kind: 'check', opening, plan: [], result: null, summary: null });
  em.create(Run, { id, ...newRun('check', id, actor), budget, startedAt: at });
  try {
    await em.flush();
  } catch (error) {
    // Another attempt was faster.
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
  }
  return budget;
}

function narrowed(budget: RunBudget, { check }: CarriedOut, leftUsd: number): RunBudget {
  return {
    ...budget,
    maxSteps: Math.min(budget.maxSteps, check.max_steps),
    maxWallSeconds: Math.min(budget.maxWallSeconds, check.max_minutes * 60),
    maxCostUsd: Math.min(budget.maxCostUsd, leftUsd),
  };
}

/** How many ended sessions are considered. */
const LOOKED_BACK = 20;
const MAX_SUBJECTS = 50;

/** The judgements of a check's earlier runs: the last status of each subject, the latest first. */
async function earlierSubjects(
  em: EntityManager,
  { agentId, checkId }: { agentId: string; checkId: string },
): Promise<OpeningFacts['earlier']> {
  const sessions = await em.find(
    MonitoringSession,
    { agentId, checkId, checkType: 'instruction', status: { $in: ['ok', 'finding'] } },
    { orderBy: { startedAt: 'desc', id: 'desc' }, limit: LOOKED_BACK, fields: ['observations'] },
  );
  const known = new Map<string, boolean>();
  for (const { subject, isFinding } of sessions.flatMap(({ observations }) => observations)) {
    if (!known.has(subject)) known.set(subject, isFinding);
  }
  return [...known].slice(0, MAX_SUBJECTS).map(([subject, wasFinding]) => ({ subject, wasFinding }));
}
