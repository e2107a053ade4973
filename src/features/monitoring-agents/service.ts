/** Monitoring agents and their plans: committed to PostgreSQL before Temporal is notified. */
import { LockMode } from '@mikro-orm/core';
import { creatorOf } from '../../db/base.ts';
import type { EntityManager, Orm } from '../../db/orm.ts';
import type { Actor } from '../../http/authenticate.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { StoredChannel } from '../notifications/index.ts';
import { MonitoringAgent, MonitoringPlanVersion } from './entities.ts';
import { agentIsPaused, agentNotFound, planVersionConflict } from './errors.ts';
import { releaseSources, notifyFindings, type FindingNotifier } from './findings/index.ts';
import type { AgentLauncher } from './launch.ts';
import type { CheckNow } from './contract.ts';
import { applyPatch } from './plan/merge.ts';
import { parsePlan, type PlanProblem } from './plan/parse.ts';
import type { Plan } from './plan/schema.ts';
import { dueTimes } from './schedule/index.ts';
import { canonicalPlan, planOf, settingsOf } from './agent/settings.ts';

export interface MonitoringServiceDeps {
  orm: Orm;
  clock: Clock;
  log: Logger;
  launcher: AgentLauncher;
  findings: FindingNotifier;
}

/** A plan that cannot be carried out, with every reason. */
export class PlanRefused extends Error {
  override name = 'PlanRefused';
  readonly problems: PlanProblem[];

  constructor(problems: PlanProblem[]) {
    super(`The plan is not valid: ${problems.map(({ message }) => message).join('; ')}`);
    this.problems = problems;
  }
}

interface NewAgent {
  /** Id of the chat opened for it in the same transaction. */
  id: string;
  title: string;
  /** By default a plan without checks, until one is drafted. */
  plan?: Plan;
  active: boolean;
  channel: StoredChannel | null;
  evictionHours?: number;
  modelBudgetUsdPerDay?: number;
}

/**
 * Deadline for the first plan's draft: a worker normally reports a failure earlier, but without any worker nobody does.
 */
const MAX_DRAFTING_MS = 10 * 60_000;

/**
 * Creates an agent within the transaction that opens its chat; notify its workflow with {@link notifyAgent} after the
 * commit.
 */
export function createAgent(
  { clock }: Pick<MonitoringServiceDeps, 'clock'>,
  tx: EntityManager,
  actor: Actor,
  wanted: NewAgent,
): MonitoringAgent {
  const { teamId } = actor;
  const now = clock.now();
  tx.create(MonitoringPlanVersion, {
    teamId,
    agentId: wanted.id,
    version: 1,
    plan: wanted.plan ?? { summary: '', checks: [] },
    reason: wanted.plan ? 'Agent created with this plan.' : 'Agent created.',
    ...creatorOf(actor),
    turnId: null,
    scopes: [...actor.scopes],
  });
  return tx.create(MonitoringAgent, {
    id: wanted.id,
    teamId,
    title: wanted.title,
    active: wanted.active,
    planVersion: 1,
    channel: wanted.channel,
    ...(wanted.evictionHours === undefined ? {} : { evictionHours: wanted.evictionHours }),
    ...(wanted.modelBudgetUsdPerDay === undefined ? {} : { modelBudgetUsdPerDay: wanted.modelBudgetUsdPerDay }),
    healthSince: now,
    lastResultAt: null,
    nextDueAt: null,
    silentAt: wanted.active ? silentAfter(wanted.id, wanted.plan, now) : null,
    ...creatorOf(actor),
    deletedAt: null,
  });
}

/** @throws {NotFound} when the team has no such agent */
export async function findAgent(em: EntityManager, id: string, lockMode?: LockMode): Promise<MonitoringAgent> {
  const agent = await em.findOne(MonitoringAgent, { id }, { lockMode });
  if (!agent) throw agentNotFound();
  return agent;
}

interface PlanChange {
  agentId: string;
  /** The version the caller has read; by default the current one. */
  baseVersion?: number;
  /** A whole plan, not yet validated. */
  plan?: unknown;
  /** Or a change to the plan, not yet validated: a `PlanPatch`. */
  patch?: unknown;
  active?: boolean;
  /** Why, in words. */
  reason: string;
  /** The turn of the agent's chat that makes the change. */
  turnId?: string;
}

interface ChangedPlan {
  agent: MonitoringAgent;
  plan: Plan;
  /** False: nothing had to change. */
  isChanged: boolean;
}

/**
 * Changes an agent's plan, pauses or resumes it, and notifies its workflow. A change without effect creates no version.
 * @param em bound to the actor's team
 * @throws {PlanRefused} with every reason
 * @throws {Conflict} when the plan has a different version than the caller read
 */
export async function changePlan(
  deps: MonitoringServiceDeps,
  em: EntityManager,
  actor: Actor,
  change: PlanChange,
): Promise<ChangedPlan> {
  const { changed, released } = await em.fork().transactional(async (tx) => {
    const agent = await findAgent(tx, change.agentId, LockMode.PESSIMISTIC_WRITE);
    const before = await planBefore(tx, agent, change);
    const plan = planAfter(before, change);
    const isPlanChanged = JSON.stringify(plan) !== JSON.stringify(before);
    const isToggled = change.active !== undefined && change.active !== agent.active;
    if (isPlanChanged) {
      agent.planVersion += 1;
      tx.create(MonitoringPlanVersion, {
        teamId: agent.teamId,
        agentId: agent.id,
        version: agent.planVersion,
        plan,
        reason: change.reason,
        ...creatorOf(actor),
        turnId: change.turnId ?? null,
        scopes: [...actor.scopes],
      });
    }
    if (change.active !== undefined) agent.active = change.active;
    const isChanged = isPlanChanged || isToggled;
    // Set even if no worker takes the change, so that the silence is noticed anyway.
    if (isChanged && agent.active) {
      const silentAt = silentAfter(agent.id, plan, deps.clock.now());
      const isSooner = agent.silentAt && silentAt && agent.silentAt < silentAt;
      if (isToggled || !isSooner) agent.silentAt = silentAt;
    }
    if (isChanged) agent.revision += 1;
    await tx.flush();
    const gone = watchedIn(before).filter((id) => !watchedIn(plan).includes(id));
    const at = deps.clock.now();
    return {
      changed: { agent, plan, isChanged },
      released: gone.length > 0 ? await releaseSources(tx, { agentId: agent.id, checkIds: gone, at }) : [],
    };
  });
  if (changed.isChanged) await notifyAgent(deps, em.fork(), changed.agent.id);
  await notifyFindings(deps.findings, released);
  return changed;
}

/**
 * What {@link changePlan} would produce, without changing anything.
 * @throws as {@link changePlan}
 */
export async function tryPlan(em: EntityManager, change: PlanChange): Promise<ChangedPlan> {
  // A separate entity manager: what is assigned here is never written.
  const rows = em.fork();
  const agent = await findAgent(rows, change.agentId);
  const before = await planBefore(rows, agent, change);
  const plan = planAfter(before, change);
  const isPlanChanged = JSON.stringify(plan) !== JSON.stringify(before);
  const isToggled = change.active !== undefined && change.active !== agent.active;
  if (isPlanChanged) agent.planVersion += 1;
  if (change.active !== undefined) agent.active = change.active;
  return { agent, plan, isChanged: isPlanChanged || isToggled };
}

/** @throws {Conflict} when the plan has a different version than the caller read */
async function planBefore(em: EntityManager, agent: MonitoringAgent, { baseVersion }: PlanChange): Promise<Plan> {
  if (baseVersion !== undefined && baseVersion !== agent.planVersion) throw planVersionConflict(agent.planVersion);
  return planOf(em, agent.id, agent.planVersion);
}

function planAfter(before: Plan, { plan, patch }: PlanChange): Plan {
  if (plan === undefined && patch === undefined) return before;
  const parsed = patch === undefined ? parsePlan(plan) : applyPatch(before, patch);
  if ('problems' in parsed) throw new PlanRefused(parsed.problems);
  return canonicalPlan(parsed.plan);
}

/** When an agent that starts now with this plan counts as silent, until its workflow reports otherwise. */
function silentAfter(agentId: string, plan: Plan | undefined, now: Date): Date | null {
  if (!plan) return new Date(now.getTime() + MAX_DRAFTING_MS);
  const due = plan.checks
    .filter(({ enabled }) => enabled)
    .map(({ id: checkId, schedule }) => dueTimes(schedule, { agentId, checkId, now: now.getTime() }).silentAt);
  const times = due.filter((at) => at !== null);
  return times.length > 0 ? new Date(Math.min(...times)) : null;
}

const watchedIn = ({ checks }: Plan): string[] => checks.filter(({ enabled }) => enabled).map(({ id }) => id);

/**
 * Sends an agent's newest settings to its workflow, starting a missing one. Logs a failure and leaves it to the
 * sweeper: the commit is not lost.
 * @param em bound to the agent's team
 */
export async function notifyAgent(
  { launcher, log }: Pick<MonitoringServiceDeps, 'launcher' | 'log'>,
  em: EntityManager,
  id: string,
): Promise<void> {
  try {
    const agent = await em.findOne(MonitoringAgent, { id });
    if (!agent) return;
    const settings = await settingsOf(em, agent);
    await launcher.notify({ agentId: id, teamId: agent.teamId }, settings);
    const { revision } = settings;
    await em.nativeUpdate(
      MonitoringAgent,
      { id, signalledRevision: { $lt: revision } },
      { signalledRevision: revision },
    );
  } catch (error) {
    log.warn({ err: error, agentId: id }, 'Temporal did not accept the change of an agent; the sweeper will retry');
  }
}

/**
 * Requests a run of an agent's checks now.
 * @throws {Conflict} when it is paused; otherwise what the launcher throws when Temporal does not accept it
 */
export async function checkNow(
  { launcher }: Pick<MonitoringServiceDeps, 'launcher'>,
  em: EntityManager,
  agentId: string,
  wanted: CheckNow,
): Promise<MonitoringAgent> {
  const agent = await findAgent(em, agentId);
  if (!agent.active) throw agentIsPaused();
  await launcher.checkNow({ agentId, teamId: agent.teamId, title: agent.title }, wanted);
  return agent;
}

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
