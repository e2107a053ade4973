/**
 * What the API, the workflows and the activities of monitoring agents share. No zod, no database: workflows import this.
 *
 * Three workflows: `monitoringAgent` (one for each agent, for as long as it lives) runs checks when they are due;
 * `instructionCheck` carries out one check by the agent loop; `finding` tells people of a finding, has it investigated,
 * and ends when it is over.
 */
import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { CarriedRun, RunBudget, RunLimit } from '../runs/contract.ts';
import type { CheckType, Plan, Schedule } from './plan/schema.ts';

export type { Check, CheckType, FindingAction, Plan, Schedule, Severity } from './plan/schema.ts';

/** The workflow types, as exported from `workflows/index.ts`. */
export const MONITORING_AGENT_WORKFLOW = 'monitoringAgent';
export const INSTRUCTION_CHECK_WORKFLOW = 'instructionCheck';
export const FINDING_WORKFLOW = 'finding';

/** Workflow ids derive from the rows' ids: a repeated start is harmless. */
export const monitoringAgentWorkflowId = (agentId: string): string => `monitoring-agent-${agentId}`;
export const instructionCheckWorkflowId = (sessionId: string): string => `check-${sessionId}`;
export const findingWorkflowId = (findingId: string): string => `finding-${findingId}`;

export interface AgentRef {
  /** Also the id of its chat. */
  agentId: string;
  teamId: string;
}

/** A check as the workflow knows it. What it asks, SQL and texts included, stays in the version's row. */
export interface PlannedCheck extends Pick<Plan['checks'][number], 'id' | 'title' | 'enabled' | 'schedule'> {
  check: { type: 'instruction'; max_minutes: number } | { type: Exclude<CheckType, 'instruction'> };
  /** Differs when anything of the check does. */
  digest: string;
}

/** Everything that decides what an agent does, as of one revision. Whole, so that the newest one is enough. */
export interface AgentSettings {
  /** Grows by one with every change of plan, configuration or pause: an older one that comes later is left out. */
  revision: number;
  title: string;
  active: boolean;
  planVersion: number;
  plan: { checks: PlannedCheck[] };
  /** What operators read of the configuration; secrets never travel. */
  config: { channel: string; evictionHours: number; modelBudgetUsdPerDay: number };
}

/** Why a check is run. */
export type SessionTrigger = 'schedule' | 'now' | 'deploy' | 'alert';
/** `failed`: it could not say. `cancelled`: its plan was changed, or the agent was paused or deleted, meanwhile. */
export type SessionStatus = 'running' | 'ok' | 'finding' | 'failed' | 'cancelled';

/** Whether a run was a result: it found something, or found that nothing is wrong. */
export const isResult = (status: SessionStatus): boolean => status === 'ok' || status === 'finding';

/** When a check is next due. All in unix milliseconds. */
export interface DueTimes {
  /** The next scheduled time; null: never (quiet hours all day). */
  dueAt: number | null;
  /** The third scheduled time after the last result, or after the check was planned: silence until then is a fault. */
  silentAt: number | null;
  /** Scheduled times after the last run that have passed, besides the one that is due. */
  missed: number;
}

export interface ScheduleChecksInput {
  /** Spreads agents with equal intervals over time. */
  agentId: string;
  /** Unix milliseconds, of the workflow. */
  now: number;
  checks: {
    checkId: string;
    schedule: Schedule;
    /** When its last run was started; absent: it has not run, and is due at once. */
    lastScheduledAt?: number;
    /** Absent: none yet. */
    lastResultAt?: number;
  }[];
}
export type ScheduleChecksResult = Record<string, DueTimes>;

/** One run of one check. */
export interface CheckRun {
  checkId: string;
  /** Made by the workflow: the same for every attempt. */
  sessionId: string;
  /** The time it was due, unix milliseconds. */
  scheduledAt: number;
  trigger: SessionTrigger;
  /** Scheduled times that passed before it while nobody ran it. */
  missed: number;
}

export interface RunChecksInput extends AgentRef {
  planVersion: number;
  runs: CheckRun[];
  /** The earliest times of the agent's other checks; unix milliseconds. */
  others: Pick<DueTimes, 'dueAt' | 'silentAt'>;
}

export interface RunChecksResult {
  /** `next` holds when the run said something; after one that failed the silence goes on. */
  results: { result: CheckRunResult; next: DueTimes }[];
}

/** What the workflow learns of a run; the rest is in the session. */
export interface CheckRunResult {
  checkId: string;
  sessionId: string;
  status: Exclude<SessionStatus, 'running'>;
  /** One line for the operator, at most 200 characters. */
  digest: string;
  /** Unix milliseconds. */
  finishedAt: number;
  durationMs: number;
  /** The model budget of the day is spent: an instruction was not carried out, or what it finds is not judged. */
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
  /** It was run already, or must not be: nothing is left to do but to report this. */
  ended?: CheckRunResult;
}

export interface FinishInstructionCheckInput extends AgentRef {
  planVersion: number;
  run: CheckRun;
  outcome: 'completed' | 'failed' | 'cancelled';
  limit?: RunLimit;
  explanation?: string;
}

/** `degraded`: it watches less than its plan says. */
export type AgentHealth = 'starting' | 'healthy' | 'degraded';

/** How an agent stands, for its row: what lists show while nobody asks the workflow. */
export interface RecordStandingInput extends AgentRef {
  health: AgentHealth;
  /** In words, for people; empty when healthy. */
  reasons: string[];
  /** Unix milliseconds: when it became so. */
  since: number;
  /** The earliest of all checks; unix milliseconds. */
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
  /** Continues as new after so many events; absent means when the server suggests it. */
  eventsPerHistory?: number;
  /** Present after continue-as-new. */
  carried?: CarriedAgent;
}

/** A check as the workflow keeps track of it. Times in unix milliseconds. */
export interface TrackedCheck {
  checkId: string;
  /** Null until it is planned, and where it never is due. */
  dueAt: number | null;
  silentAt: number | null;
  /** Its due times were made for the plan as it is. */
  isPlanned: boolean;
  /** When its last run was started, or has ended: its next time is after that. */
  lastStartedAt?: number;
  lastResultAt?: number;
  last?: { status: CheckRunResult['status']; digest: string; sessionId: string; at: number };
  /** Runs in a row that could not say. */
  failures: number;
  /** Its last run took so long that others are not to wait for it. */
  isSlow: boolean;
  budgetSpent: boolean;
  /** Scheduled times that passed before the one that is due. */
  missed: number;
  /** It is due for a while, and what it missed was counted. */
  isLateKnown: boolean;
  /** Somebody wants it to be run now. */
  wanted?: Exclude<SessionTrigger, 'schedule'>;
  running?: {
    sessionId: string;
    startedAt: number;
    isInstruction: boolean;
    /** An instruction check that has not reported by then will not. */
    deadline?: number;
  };
}

/** What continue-as-new hands to the next run of the workflow of an agent. */
export interface CarriedAgent {
  settings: AgentSettings;
  checks: TrackedCheck[];
  health: AgentHealth;
  healthSince: number;
  /** What the recorded health rests on, and what its reasons are called. */
  reasons: { key: string; text: string }[];
  /** The newest of the triggers that were taken. */
  triggers: string[];
  signals: AgentState['signals'];
}

/** How a check stands, as the query answers. Times in unix milliseconds. */
export interface CheckState {
  checkId: string;
  dueAt: number | null;
  running: boolean;
  last?: { status: CheckRunResult['status']; digest: string; sessionId: string; at: number };
  /** Runs in a row that could not say. */
  failures: number;
}

/** Answer of the `agent` query: what the workflow carries out, and how it stands. */
export interface AgentState {
  settings: AgentSettings;
  health: AgentHealth;
  reasons: string[];
  checks: CheckState[];
  /** How many signals arrived, in all runs of the workflow. */
  signals: { applied: number; superseded: number; repeated: number };
}

export interface CheckNow {
  /** One that was taken already is left out. */
  triggerId: string;
  trigger: Exclude<SessionTrigger, 'schedule'>;
  /** Absent: all. */
  checkIds?: string[];
}

/** Plan, configuration or pause changed. */
export const settingsSignal = defineSignal<[AgentSettings]>('settings');
export const checkNowSignal = defineSignal<[CheckNow]>('check_now');
/** An instruction check has ended. */
export const checkEndedSignal = defineSignal<[CheckRunResult]>('check_ended');
export const agentQuery = defineQuery<AgentState>('agent');

export interface FindingRef {
  findingId: string;
  teamId: string;
}

/** `pending`: seen, not confirmed yet. `open`: it is there. `resolved`: it is over, but may come back within its cool-down. `closed`: it is over. */
export type FindingStatus = 'pending' | 'open' | 'resolved' | 'closed';

/** The row of a finding has changed. It is read anew: what the signal says is for operators. */
export const findingChangedSignal = defineSignal<[{ revision: number; status: FindingStatus }]>('finding_changed');
