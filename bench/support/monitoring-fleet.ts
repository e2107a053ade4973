/** Monitoring agents by the thousand, as they are in the middle of their lives: watched for long, asleep until a check is due. */
import { randomUUID } from 'node:crypto';
import type { Client as Temporal } from '@temporalio/client';
import type { Client as Database } from 'pg';
import { waitUntil } from '../../src/embedded/wait-until.ts';
import {
  MONITORING_AGENT_WORKFLOW,
  monitoringAgentWorkflowId,
  type AgentSettings,
  type MonitoringAgentInput,
  type Plan,
} from '../../src/features/monitoring-agents/contract.ts';
import { Plan as planSchema, type PlanInput } from '../../src/features/monitoring-agents/plan/schema.ts';
import { plannedBy } from '../../src/features/monitoring-agents/agent/settings.ts';
import { dueTimes } from '../../src/features/monitoring-agents/schedule/index.ts';
import { mapConcurrently } from '../../src/platform/concurrency.ts';
import { GREEN } from './bare-prometheus.ts';

export interface Fleet {
  agentIds: string[];
  /** Their workflows, in the same order. */
  firstRunIds: string[];
  /** Starts per second. */
  startedPerSecond: number;
}

export interface FleetOptions {
  teamId: string;
  agents: number;
  plan: Plan;
  /** Checks are due at this time or up to one interval later; unix milliseconds. */
  quietUntil: number;
  taskQueue: string;
  /** As the product's own unless given. */
  eventsPerHistory?: number;
}

/** Concurrent starts. */
const WIDTH = 16;

/** A plan of so many green checks, all with the same interval. */
export function greenPlan(checks: number, everySeconds: number): Plan {
  const input: PlanInput = {
    summary: 'The shop is up.',
    checks: Array.from({ length: checks }, (_, at) => ({
      id: `check-${at}`,
      title: `Is part ${at} of the shop up?`,
      check: {
        type: 'metric',
        source: 'prometheus',
        promql: GREEN,
        window_seconds: 300,
        condition: { type: 'threshold', operator: '<', value: 1 },
      },
      schedule: { every_seconds: everySeconds },
    })),
  };
  return planSchema.parse(input);
}

const ROWS = `
  with agent as (
    insert into monitoring_agents (id, created_at, updated_at, team_id, title, signalled_revision, plan_version, health, health_since)
    select id, now(), now(), $1, 'Bench ' || id, 1, 1, 'healthy', now() from unnest($2::uuid[]) as id
    returning id
  ), chat as (
    insert into chats (id, created_at, updated_at, team_id, title, titled_by, last_turn_at, is_monitoring)
    select id, now(), now(), $1, 'Bench ' || id, 'model', now(), true from agent
  )
  insert into monitoring_plan_versions (id, created_at, updated_at, team_id, agent_id, version, plan, reason, scopes)
  select gen_random_uuid(), now(), now(), $1, id, 1, $3, 'For a benchmark.', '{system:admin}' from agent`;

/** Commits agents whose first plan may do everything; nothing carries them out. */
export async function commitAgents(database: Database, teamId: string, agentIds: string[], plan: Plan): Promise<void> {
  await database.query(ROWS, [teamId, agentIds, JSON.stringify(plan)]);
}

/**
 * Commits agents and starts their workflows as continue-as-new does: with a plan they know, and every check run before.
 * When their checks are due is the product's own spread.
 * @returns when every one of them has written when it is due
 */
export async function startFleet(
  { database, temporal }: { database: Database; temporal: Temporal },
  { teamId, agents, plan, quietUntil, taskQueue, eventsPerHistory }: FleetOptions,
): Promise<Fleet> {
  const agentIds = Array.from({ length: agents }, () => randomUUID());
  await commitAgents(database, teamId, agentIds, plan);
  const began = performance.now();
  const handles = await mapConcurrently(agentIds, WIDTH, (agentId) => {
    const input = carriedInput({ agentId, teamId, plan, quietUntil });
    return temporal.workflow.start(MONITORING_AGENT_WORKFLOW, {
      taskQueue,
      workflowId: monitoringAgentWorkflowId(agentId),
      args: [{ ...input, eventsPerHistory }],
    });
  });
  await waitUntil(
    async () => {
      const text = `select count(*) filter (where next_due_at is null) as unplanned from monitoring_agents where id = any($1)`;
      const { rows } = await database.query<{ unplanned: string }>(text, [agentIds]);
      return Number(rows[0]?.unplanned) === 0 || undefined;
    },
    { what: 'the agents', timeoutMs: 300_000 },
  );
  const firstRunIds = handles.map(({ firstExecutionRunId }) => firstExecutionRunId);
  return { agentIds, firstRunIds, startedPerSecond: agents / ((performance.now() - began) / 1_000) };
}

function carriedInput({
  agentId,
  teamId,
  plan,
  quietUntil,
}: Pick<FleetOptions, 'teamId' | 'plan' | 'quietUntil'> & { agentId: string }): MonitoringAgentInput {
  const now = Date.now();
  const title = `Bench ${agentId}`;
  const settings: AgentSettings = {
    revision: 1,
    title,
    active: true,
    planVersion: 1,
    plan: plannedBy(plan),
    config: { channel: 'nobody (no notification channel)', evictionHours: 72, modelBudgetUsdPerDay: 5 },
  };
  const checks = plan.checks.map(({ id: checkId, schedule }) => {
    const times = dueTimes(schedule, { agentId, checkId, now, lastScheduledAt: quietUntil, lastResultAt: now });
    return {
      checkId,
      dueAt: times.dueAt,
      silentAt: times.silentAt,
      isPlanned: true,
      lastStartedAt: now,
      lastResultAt: now,
      last: { status: 'ok' as const, digest: '1 series, none is a finding', sessionId: randomUUID(), at: now },
      failures: 0,
      isSlow: false,
      budgetSpent: false,
      missed: 0,
      isLateKnown: false,
    };
  });
  return {
    agentId,
    teamId,
    title,
    carried: {
      settings,
      checks,
      health: 'healthy',
      healthSince: now,
      reasons: [],
      triggers: [],
      signals: { applied: 1, superseded: 0, repeated: 0 },
    },
  };
}

/** Terminates the workflows and deletes the rows, so that nothing is left to wake up. */
export async function endFleet(
  { database, temporal }: { database: Database; temporal: Temporal },
  { agentIds }: Fleet,
): Promise<void> {
  await mapConcurrently(agentIds, WIDTH, (agentId) =>
    temporal.workflow.getHandle(monitoringAgentWorkflowId(agentId)).terminate('The benchmark is over.'),
  );
  await database.query(`update monitoring_agents set active = false, deleted_at = now() where id = any($1)`, [
    agentIds,
  ]);
}
