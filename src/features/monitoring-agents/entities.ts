import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { creatorColumns, teamColumns, teamFilter } from '../../db/base.ts';
import type { CheckEvidence, Observation } from './checks/port.ts';
import type {
  AgentHealth,
  CheckType,
  FindingAction,
  FindingStatus,
  Plan,
  SessionStatus,
  SessionTrigger,
  Severity,
} from './contract.ts';
import type { StoredChannel } from '../notifications/index.ts';

/** An agent that watches something until it is deleted. It has the id of its chat. */
export const MonitoringAgent = defineEntity({
  name: 'MonitoringAgent',
  tableName: 'monitoring_agents',
  filters: {
    ...teamFilter,
    /** A deleted agent is gone for everybody; its rows go as soon as nothing works on them any more. */
    present: { name: 'present', cond: { deletedAt: null }, default: true },
  },
  properties: {
    ...teamColumns,
    title: p.text(),
    /** False: paused. */
    active: p.boolean().default(true),
    /** Grows with every change of plan, configuration or pause. */
    revision: p.integer().default(1),
    /** The newest revision that Temporal acknowledged; the sweeper repeats what it did not. */
    toldRevision: p.integer().default(0),
    /** The newest version of the plan. */
    planVersion: p.integer(),
    channel: p.json<StoredChannel>().strictNullable(),
    evictionHours: p.integer().default(72),
    modelBudgetUsdPerDay: p.double().$type<number>().default(5),
    health: p
      .enum(['starting', 'healthy', 'degraded'] as const)
      .$type<AgentHealth>()
      .default('starting'),
    healthReasons: p
      .json<string[]>()
      .default('[]')
      .onCreate(() => []),
    healthSince: p.datetime(),
    /** When a check last said what it found, or that it found nothing. */
    lastResultAt: p.datetime().strictNullable(),
    /** The next time at which a check is due; null while none is. */
    nextDueAt: p.datetime().strictNullable(),
    /** Without a result until then the agent is degraded, whoever is left to notice. */
    silentAt: p.datetime().strictNullable(),
    ...creatorColumns,
    deletedAt: p.datetime().strictNullable(),
  },
});
export type MonitoringAgent = InferEntity<typeof MonitoringAgent>;

/** One version of an agent's plan; never changed. */
export const MonitoringPlanVersion = defineEntity({
  name: 'MonitoringPlanVersion',
  tableName: 'monitoring_plan_versions',
  filters: teamFilter,
  uniques: [{ properties: ['agentId', 'version'] }],
  properties: {
    ...teamColumns,
    agentId: p.uuid(),
    /** 1, 2, 3 … within the agent. */
    version: p.integer(),
    plan: p.json<Plan>(),
    /** Why, in words. */
    reason: p.text(),
    /** Who: the key and its user; with a turn of the chat the agent itself did it on their behalf. */
    ...creatorColumns,
    turnId: p.uuid().strictNullable(),
    /** What their credential grants: checks of this version may do no more. */
    scopes: p.array(),
  },
});
export type MonitoringPlanVersion = InferEntity<typeof MonitoringPlanVersion>;

/** One run of one check. Its id is made by the workflow; an instruction check's conversation has the same id. */
export const MonitoringSession = defineEntity({
  name: 'MonitoringSession',
  tableName: 'monitoring_sessions',
  filters: teamFilter,
  indexes: [
    { properties: ['agentId', 'startedAt', 'id'] },
    { properties: ['agentId', 'checkId', 'startedAt'] },
    {
      name: 'monitoring_sessions_running_index',
      expression: `create index "monitoring_sessions_running_index" on "monitoring_sessions" ("started_at") where "status" = 'running'`,
    },
  ],
  properties: {
    ...teamColumns,
    agentId: p.uuid(),
    checkId: p.text(),
    checkType: p.text().$type<CheckType>(),
    title: p.text(),
    planVersion: p.integer(),
    trigger: p.enum(['schedule', 'now', 'deploy', 'alert'] as const).$type<SessionTrigger>(),
    status: p.enum(['running', 'ok', 'finding', 'failed', 'cancelled'] as const).$type<SessionStatus>(),
    /** The time it was due. */
    scheduledAt: p.datetime(),
    startedAt: p.datetime(),
    finishedAt: p.datetime().strictNullable(),
    /** Scheduled times that passed before it while nobody ran it. */
    missed: p.integer().default(0),
    /** One line: the result, or why there is none. */
    summary: p.text().strictNullable(),
    observations: p
      .json<Observation[]>()
      .default('[]')
      .onCreate(() => []),
    /** Loaded only when asked for. */
    evidence: p
      .json<CheckEvidence[]>()
      .default('[]')
      .onCreate(() => [])
      .lazy(),
    costUsd: p.double().$type<number>().default(0),
    inputTokens: p.integer().default(0),
    outputTokens: p.integer().default(0),
    /** The model that carried it out; null for a check that needs none. */
    model: p.text().strictNullable(),
    /** It found nothing out because the model budget of the day was spent. */
    budgetSpent: p.boolean().default(false),
  },
});
export type MonitoringSession = InferEntity<typeof MonitoringSession>;

/** How one subject of one check stands, of those that share a finding. */
export interface FindingSource {
  isFailing: boolean;
  /** Runs in a row that said so. */
  streak: number;
  text: string;
  sessionId?: string;
  /** Unix milliseconds. */
  at: number;
  /** It was fine often enough in a row: it does not hold the finding open. */
  isOver?: true;
}

/** What a model thought of a finding before anybody was told. */
export interface Judgement {
  isWorthIt: boolean;
  title: string;
  reason: string;
  costUsd: number;
  model: string;
}

/** Something that is wrong: what checks, alerts and the agent's own health report, grouped by dedup key. */
export const Finding = defineEntity({
  name: 'Finding',
  tableName: 'monitoring_findings',
  filters: teamFilter,
  indexes: [
    { properties: ['agentId', 'openedAt', 'id'] },
    { properties: ['agentId', 'dedupKey', 'closedAt'] },
    { properties: ['teamId', 'openedAt', 'createdAt', 'id'] },
    { properties: ['status', 'updatedAt'] },
    {
      name: 'monitoring_findings_current_index',
      expression: `create index "monitoring_findings_current_index" on "monitoring_findings" ("agent_id") where "status" <> 'closed'`,
    },
    {
      name: 'monitoring_findings_untold_index',
      expression: `create index "monitoring_findings_untold_index" on "monitoring_findings" ("updated_at") where "told_revision" < "revision"`,
    },
    {
      name: 'monitoring_findings_investigation_index',
      expression: `create index "monitoring_findings_investigation_index" on "monitoring_findings" ("investigation_id") where "investigation_id" is not null`,
    },
    {
      name: 'monitoring_findings_one_at_a_time_index',
      expression: `create unique index "monitoring_findings_one_at_a_time_index" on "monitoring_findings" ("team_id", coalesce("agent_id", '00000000-0000-0000-0000-000000000000'::uuid), "dedup_key") where "status" <> 'closed'`,
    },
  ],
  properties: {
    ...teamColumns,
    /** Null: an alert from outside that belongs to no agent. */
    agentId: p.uuid().strictNullable(),
    dedupKey: p.text(),
    /** What it came from. `health`: the agent itself is degraded. */
    origin: p.enum(['check', 'health', 'alert'] as const),
    /** Null until it was confirmed: nobody was told of it. */
    openedAt: p.datetime().strictNullable(),
    status: p.enum(['pending', 'open', 'resolved', 'closed'] as const).$type<FindingStatus>(),
    title: p.text(),
    /** The newest observation in words. */
    summary: p.text(),
    severity: p.enum(['info', 'warning', 'critical'] as const).$type<Severity>(),
    service: p.text().strictNullable(),
    actions: p.json<FindingAction[]>(),
    judge: p.boolean().default(false),
    judgement: p.json<Judgement>().strictNullable(),
    /** By check and subject. */
    sources: p.json<Record<string, FindingSource>>(),
    /** What the first observation rested on: stays when its session is gone. */
    evidence: p
      .json<CheckEvidence[]>()
      .default('[]')
      .onCreate(() => [])
      .lazy(),
    /** Labels, links and such of an alert from outside. */
    details: p
      .json<Record<string, unknown>>()
      .default('{}')
      .onCreate(() => ({})),
    coolDownSeconds: p.integer(),
    lastSeenAt: p.datetime(),
    resolvedAt: p.datetime().strictNullable(),
    closedAt: p.datetime().strictNullable(),
    /** Observations that reported it. */
    occurrences: p.integer().default(1),
    /** When it opened, the newest last; unix milliseconds, bounded. */
    opens: p
      .json<number[]>()
      .default('[]')
      .onCreate(() => []),
    /** It comes and goes so often that only this is told. */
    isFlapping: p.boolean().default(false),
    investigationId: p.uuid().strictNullable(),
    /** Grows with every change that people or the workflow should hear of. */
    revision: p.integer().default(1),
    toldRevision: p.integer().default(0),
  },
});
export type Finding = InferEntity<typeof Finding>;
