import { Context } from '@temporalio/activity';
import type {
  AgentRef,
  BeginMonitoringResult,
  RecordHealthInput,
  RunChecksInput,
  RunChecksResult,
  ScheduleChecksInput,
  ScheduleChecksResult,
  BeginInstructionCheckResult,
  CheckRunResult,
  FinishInstructionCheckInput,
} from '../src/features/monitoring-agents/contract.ts';
import {
  beginMonitoring,
  purgeAgent,
  recordStanding,
  runChecks,
  scheduleChecks,
  type MonitoringRunDeps,
  beginInstructionCheck,
  finishInstructionCheck,
  type InstructionCheckDeps,
  type InstructionCheckRun,
} from '../src/features/monitoring-agents/index.ts';
import { withHeartbeat } from './attempt.ts';

export interface MonitoringAgentActivities {
  beginMonitoring(input: AgentRef): Promise<BeginMonitoringResult>;
  scheduleChecks(input: ScheduleChecksInput): Promise<ScheduleChecksResult>;
  runChecks(input: RunChecksInput): Promise<RunChecksResult>;
  recordStanding(input: RecordHealthInput): Promise<void>;
  purgeAgent(input: AgentRef): Promise<void>;
}

/** The activities of a monitoring agent's workflow. */
export function createMonitoringAgentActivities(deps: MonitoringRunDeps): MonitoringAgentActivities {
  return {
    beginMonitoring: (input) => beginMonitoring(deps, input),
    scheduleChecks: async (input) => scheduleChecks(input),
    runChecks: (input) => withHeartbeat((attempt) => runChecks(deps, input, attempt, serverClock())),
    recordStanding: (input) => recordStanding(deps, input),
    purgeAgent: (input) => withHeartbeat(({ signal }) => purgeAgent(deps, input, signal)),
  };
}

/**
 * Temporal's clock as an activity knows it: due times follow it, whatever a worker's own clock says.
 * @returns unix milliseconds
 */
function serverClock(): () => number {
  const { currentAttemptScheduledTimestampMs } = Context.current().info;
  const began = performance.now();
  return () => currentAttemptScheduledTimestampMs + (performance.now() - began);
}

export interface InstructionCheckActivities {
  beginInstructionCheck(input: InstructionCheckRun): Promise<BeginInstructionCheckResult>;
  finishInstructionCheck(input: FinishInstructionCheckInput): Promise<CheckRunResult>;
}

/** Opens a check that a model carries out and records its end; the loop between is shared by all runs. */
export function createInstructionCheckActivities(deps: InstructionCheckDeps): InstructionCheckActivities {
  return {
    beginInstructionCheck: (input) => beginInstructionCheck(deps, input),
    finishInstructionCheck: (input) => finishInstructionCheck(deps, input),
  };
}
