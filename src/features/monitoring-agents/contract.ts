/**
 * What the API, the workflows and the activities of monitoring agents share. No zod, no database: workflows import
 * this.
 * Three workflows: `monitoringAgent` (one per agent, for its whole life) runs checks when they are due;
 * `instructionCheck` carries out one check with the agent loop; `finding` notifies people of a finding, has it
 * investigated, and ends when it is closed.
 */
import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { CarriedRun, RunBudget, RunLimit } from '../runs/contract.ts';
import type { CheckType, Plan, Schedule } from './plan/schema.ts';

export type { Check, CheckType, FindingAction, Plan, Severity } from './plan/schema.ts';

/** The workflow types, as exported from `workflows/index.ts`. */
export const MONITORING_AGENT_WORKFLOW = 'monitoringAgent';
export const INSTRUCTION_CHECK_WORKFLOW = 'instructionCheck';
export const FINDING_WORKFLOW = 'finding';

/** Workflow ids derive from the rows' ids, so a repeated start is harmless. */
export const monitoringAgentWorkflowId = (agentId: string): string => `monitoring-agent-${agentId}`;
export const instructionCheckWorkflowId = (sessionId: string): string => `check-${sessionId}`;
export const findingWorkflowId = (findingId: string): string => `finding-${findingId}`;

export interface AgentRef {
  /** Also the id of its chat. */
  agentId: string;
  teamId: string;
}

/** A check as the workflow knows it. What it queries, including SQL and texts, stays in the version's row. */
export interface PlannedCheck extends Pick<Plan['checks'][number], 'id' | 'title' | 'enabled' | 'schedule'> {
  check: { type: 'instruction'; max_minutes: number } | { type: Exclude<CheckType, 'instruction'> };
  /** Changes whenever anything about the check changes. */
  digest: string;
}

/** Everything that decides what an agent does, as of one revision. Always complete, so only the newest one matters. */
export interface AgentSettings {
  /** Incremented by every change of plan, configuration or pause; an older revision that arrives late is ignored. */
  revision: number;
  title: string;
  active: boolean;
  planVersion: number;
  plan: { checks: PlannedCheck[] };
  /** What operators see of the configuration; secrets never travel. */
  config: { channel: string; evictionHours: number; modelBudgetUsdPerDay: number };
}

/** Why a check is run. */
export type SessionTrigger = 'schedule' | 'now' | 'deploy' | 'alert';
/** `failed`: no result. `cancelled`: the plan was changed, or the agent was paused or deleted, during the run. */
export type SessionStatus = 'running' | 'ok' | 'finding' | 'failed' | 'cancelled';

/** Whether a run produced a result: either a finding or an all-clear. */
export const isResult = (status: SessionStatus): boolean => status === 'ok' || status === 'finding';

/** When a check is next due. All in unix milliseconds. */
export interface DueTimes {
  /** The next scheduled time; null: never (quiet hours all day). */
  dueAt: number | null;
  /** The third scheduled time after the last result, or after the check was planned: silence until then is a fault. */
  silentAt: number | null;
  /** Scheduled times since the last run that have passed, besides the one that is due. */
  missed: number;
}

export interface ScheduleChecksInput {
  /** Spreads agents with equal intervals over time. */
  agentId: string;
  /** Unix milliseconds, by the workflow's clock. */
  now: number;
  checks: {
    checkId: string;
    schedule: Schedule;
    /** Start of its last run; absent: it has not run, and is due at once. */
    lastScheduledAt?: number;
    /** Absent: none yet. */
    lastResultAt?: number;
  }[];
}
export type ScheduleChecksResult = Record<string, DueTimes>;

/** One run of one check. */
export interface CheckRun {
  checkId: string;
  /** Chosen by the workflow: the same for every attempt. */
  sessionId: string;
  /** The time it was due, unix milliseconds. */
  scheduledAt: number;
  trigger: SessionTrigger;
  /** Scheduled times before it that passed without a run. */
  missed: number;
}

export interface RunChecksInput extends AgentRef {
  planVersion: number;
  runs: CheckRun[];
  /** The earliest times of the agent's other checks; unix milliseconds. */
  others: Pick<DueTimes, 'dueAt' | 'silentAt'>;
}

export interface RunChecksResult {
  /** `next` applies when the run produced a result; after a failure the silence continues. */
  results: { result: CheckRunResult; next: DueTimes }[];
}

/** What the workflow learns of a run; the session holds the rest. */
export interface CheckRunResult {
  checkId: string;
  sessionId: string;
  status: Exclude<SessionStatus, 'running'>;
  /** One line for the operator, at most 200 characters. */
  digest: string;
  /** Unix milliseconds. */
  finishedAt: number;
  durationMs: number;
  /** The daily model budget is spent: an instruction was not carried out, or its findings are not judged. */
  budgetSpent?: true;
}

export interface InstructionCheckInput extends AgentRef {
  planVersion: number;
  run: CheckRun;
  title: string;
  carried?: CarriedRun;
  /** Present after continue-as-new. */
  budget?: RunBudget;
}

export interface BeginInstructionCheckResult {
  budget: RunBudget;
  /** It has already run, or must not run: the workflow only has to report this. */
  ended?: CheckRunResult;
}

export interface FinishInstructionCheckInput extends AgentRef {
  planVersion: number;
  run: CheckRun;
  outcome: 'completed' | 'failed' | 'cancelled';
  limit?: RunLimit;
  explanation?: string;
}

/** `degraded`: some of its checks cannot run. */
export type AgentHealth = 'starting' | 'healthy' | 'degraded';

/** An agent's health, for its row: what lists show without querying the workflow. */
export interface RecordHealthInput extends AgentRef {
  health: AgentHealth;
  /** In words, for people; empty when healthy. */
  reasons: string[];
  /** Unix milliseconds: since when. */
  since: number;
  /** The earliest due time of all checks; unix milliseconds. */
  due: Pick<DueTimes, 'dueAt' | 'silentAt'>;
}

export interface BeginMonitoringResult {
  /** Absent: the agent was deleted. */
  settings?: AgentSettings;
  /** What is known of earlier runs, by check. */
  earlier: Record<string, { startedAt: number; resultAt?: number }>;
}

export interface MonitoringAgentInput extends AgentRef {
  title: string;
  /** Continues as new after this many events; by default when the server suggests it. */
  eventsPerHistory?: number;
  /** Present after continue-as-new. */
  carried?: CarriedAgent;
}

/** A check as the workflow keeps track of it. Times in unix milliseconds. */
export interface TrackedCheck {
  checkId: string;
  /** Null until it is planned, and for a check that is never due. */
  dueAt: number | null;
  silentAt: number | null;
  /** Its due times are those of the current plan. */
  isPlanned: boolean;
  /** When its last run started or ended: its next time is after that. */
  lastStartedAt?: number;
  lastResultAt?: number;
  last?: { status: CheckRunResult['status']; digest: string; sessionId: string; at: number };
  /** Consecutive failed runs. */
  failures: number;
  /** Its last run took so long that other checks should not wait for it. */
  isSlow: boolean;
  budgetSpent: boolean;
  /** Scheduled times that passed before the one that is due. */
  missed: number;
  /** It has been due for a while, and its missed times are counted. */
  isLateKnown: boolean;
  /** A run was requested. */
  wanted?: Exclude<SessionTrigger, 'schedule'>;
  running?: {
    sessionId: string;
    startedAt: number;
    isInstruction: boolean;
    /** Deadline by which an instruction check reports. */
    deadline?: number;
  };
}

/** What continue-as-new hands to the next run of an agent's workflow. */
export interface CarriedAgent {
  settings: AgentSettings;
  checks: TrackedCheck[];
  health: AgentHealth;
  healthSince: number;
  /** The checks behind the recorded health, and the names of its reasons. */
  reasons: { key: string; text: string }[];
  /** The newest triggers that were accepted. */
  triggers: string[];
  signals: AgentState['signals'];
}

/** A check's status, as the query answers. Times in unix milliseconds. */
export interface CheckState {
  checkId: string;
  dueAt: number | null;
  running: boolean;
  last?: { status: CheckRunResult['status']; digest: string; sessionId: string; at: number };
  /** Consecutive failed runs. */
  failures: number;
}

/** Answer of the `agent` query: what the workflow carries out, and its status. */
export interface AgentState {
  settings: AgentSettings;
  health: AgentHealth;
  reasons: string[];
  checks: CheckState[];
  /** Number of signals received, over all runs of the workflow. */
  signals: { applied: number; superseded: number; repeated: number };
}

export interface CheckNow {
  /** A trigger whose id was already accepted is ignored. */
  triggerId: string;
  trigger: Exclude<SessionTrigger, 'schedule'>;
  /** Absent: all. */
  checkIds?: string[];
}

/** The plan, the configuration or the pause changed. */
export const settingsSignal = defineSignal<[AgentSettings]>('settings');
export const checkNowSignal = defineSignal<[CheckNow]>('check_now');
/** An instruction check ended. */
export const checkEndedSignal = defineSignal<[CheckRunResult]>('check_ended');
export const agentQuery = defineQuery<AgentState>('agent');

export interface FindingRef {
  findingId: string;
  teamId: string;
}

/**
 * `pending`: seen, not confirmed yet. `open`: confirmed. `resolved`: over, but may come back within its cool-down.
 * `closed`: over for good.
 */
export type FindingStatus = 'pending' | 'open' | 'resolved' | 'closed';

/** A finding's row has changed. The workflow reads it again; the signal's content is for operators. */
export const findingChangedSignal = defineSignal<[{ revision: number; status: FindingStatus }]>('finding_changed');
