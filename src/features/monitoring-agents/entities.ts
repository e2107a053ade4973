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
import { ACT_KINDS } from './findings/act-kinds.ts';
import type { StoredChannel } from '../notifications/index.ts';

/** An agent that watches something until it is deleted. It shares the id of its chat. */
export const MonitoringAgent = defineEntity({
  name: 'MonitoringAgent',
  tableName: 'monitoring_agents',
  filters: {
    ...teamFilter,
    /** A deleted agent disappears for everybody; its rows go as soon as nothing works on them any longer. */
    present: { name: 'present', cond: { deletedAt: null }, default: true },
  },
  properties: {
    ...teamColumns,
    title: p.text(),
    /** False: paused. */
    active: p.boolean().default(true),
    /** Incremented by every change of plan, configuration or pause. */
    revision: p.integer().default(1),
    /** The newest revision that Temporal acknowledged; the sweeper sends a later one again. */
    signalledRevision: p.integer().default(0),
    /** The newest plan version. */
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
    /** When a check last produced a result. */
    lastResultAt: p.datetime().strictNullable(),
    /** The next time a check is due; null when none is. */
    nextDueAt: p.datetime().strictNullable(),
    /** Without a result by then the agent counts as degraded, even with no worker left to notice. */
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
    /** The credential and its user; for a chat turn, the agent acted on their behalf. */
    ...creatorColumns,
    turnId: p.uuid().strictNullable(),
    /** What the credential grants: the limit for checks of this version. */
    scopes: p.array(),
  },
});
export type MonitoringPlanVersion = InferEntity<typeof MonitoringPlanVersion>;

/** One run of one check. The workflow chooses its id; an instruction check's conversation has the same id. */
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
    /** Scheduled times before it that passed without a run. */
    missed: p.integer().default(0),
    /** One line: the result, or why there is no result. */
    summary: p.text().strictNullable(),
    observations: p
      .json<Observation[]>()
      .default('[]')
      .onCreate(() => []),
    /** Loaded only on request. */
    evidence: p
      .json<CheckEvidence[]>()
      .default('[]')
      .onCreate(() => [])
      .lazy(),
    costUsd: p.double().$type<number>().default(0),
    inputTokens: p.integer().default(0),
    outputTokens: p.integer().default(0),
    /** The model that carried it out; null for a check without a model. */
    model: p.text().strictNullable(),
    /** It did not run because the daily model budget was spent. */
    budgetSpent: p.boolean().default(false),
  },
});
export type MonitoringSession = InferEntity<typeof MonitoringSession>;

/** The status of one subject of one check within a finding that several may share. */
export interface FindingSource {
  isFailing: boolean;
  /** Consecutive runs that said so. */
  streak: number;
  text: string;
  sessionId?: string;
  /** Unix milliseconds. */
  at: number;
  /** It was fine often enough in a row that it no longer holds the finding open. */
  isOver?: true;
  /**
   * When it was at fault, the newest last, bounded: from the first report that found it to the first of those that found
   * it over; null: it still is. Unix milliseconds.
   */
  faults?: [from: number, to: number | null][];
}

/** A model's judgement of a finding before anybody was notified. */
export interface Judgement {
  isWorthIt: boolean;
  title: string;
  reason: string;
  costUsd: number;
  model: string;
}

/** Something that is wrong, as reported by checks, alerts and the agent's own health; grouped by dedup key. */
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
      name: 'monitoring_findings_held_index',
      expression: `create index "monitoring_findings_held_index" on "monitoring_findings" ("agent_id") where "is_held"`,
    },
    {
      name: 'monitoring_findings_signalled_index',
      expression: `create index "monitoring_findings_signalled_index" on "monitoring_findings" ("updated_at") where "signalled_revision" < "revision"`,
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
    /** Null: an external alert that belongs to no agent. */
    agentId: p.uuid().strictNullable(),
    dedupKey: p.text(),
    /** Where it came from. `health`: the agent itself is degraded. */
    origin: p.enum(['check', 'health', 'alert'] as const),
    /** Null until confirmed: nobody was notified. */
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
    /** Evidence of the first observation; outlives its session. */
    evidence: p
      .json<CheckEvidence[]>()
      .default('[]')
      .onCreate(() => [])
      .lazy(),
    /** Labels, links and such of an external alert. */
    details: p
      .json<Record<string, unknown>>()
      .default('{}')
      .onCreate(() => ({})),
    coolDownSeconds: p.integer(),
    lastSeenAt: p.datetime(),
    resolvedAt: p.datetime().strictNullable(),
    closedAt: p.datetime().strictNullable(),
    /** Number of observations that reported it. */
    occurrences: p.integer().default(1),
    /** Times at which it opened, the newest last; unix milliseconds, bounded. */
    opens: p
      .json<number[]>()
      .default('[]')
      .onCreate(() => []),
    /** It comes and goes so often that people hear only of the flapping. */
    isFlapping: p.boolean().default(false),
    investigationId: p.uuid().strictNullable(),
    /** Somebody takes care of it: nobody is notified of its returns, unless one lasts. */
    acknowledgedAt: p.datetime().strictNullable().default(null),
    /** Names of people are those they had when they acted. */
    acknowledgedBy: p.text().strictNullable().default(null),
    /** Nobody is notified until then. */
    mutedUntil: p.datetime().strictNullable().default(null),
    assigneeUserId: p.uuid().strictNullable().default(null),
    assigneeName: p.text().strictNullable().default(null),
    /** The person who closed it; null unless a person did. */
    closedBy: p.text().strictNullable().default(null),
    /** A person closed it while sources were failing: until these are over, they open nothing new. */
    isHeld: p.boolean().default(false),
    /** Incremented by every change that people or the workflow should hear of. */
    revision: p.integer().default(1),
    signalledRevision: p.integer().default(0),
  },
});
export type Finding = InferEntity<typeof Finding>;

/** What a person did with a finding, and the end of a mute; never changed. */
export const FindingAct = defineEntity({
  name: 'FindingAct',
  tableName: 'monitoring_finding_acts',
  filters: teamFilter,
  indexes: [{ properties: ['findingId', 'createdAt'] }],
  properties: {
    ...teamColumns,
    findingId: p.uuid(),
    kind: p.enum(ACT_KINDS),
    /** `time`: a mute ended by itself, or was taken over by the finding's return. */
    via: p.enum(['api', 'slack', 'time'] as const),
    /** Whoever acted, by the name of that time. */
    actorName: p.text(),
    /** A comment. */
    text: p.text().strictNullable(),
    /** For a mute. */
    until: p.datetime().strictNullable(),
    /** For an assignment. */
    assigneeUserId: p.uuid().strictNullable(),
    assigneeName: p.text().strictNullable(),
    /** Whether people are notified of it: not while the finding is muted. */
    isNotified: p.boolean(),
    ...creatorColumns,
  },
});
export type FindingAct = InferEntity<typeof FindingAct>;
