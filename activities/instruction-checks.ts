import type {
  BeginInstructionCheckResult,
  CheckRunResult,
  FinishInstructionCheckInput,
} from '../src/features/monitoring-agents/contract.ts';
import {
  beginInstructionCheck,
  finishInstructionCheck,
  type InstructionCheckDeps,
  type InstructionCheckRun,
} from '../src/features/monitoring-agents/index.ts';

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
