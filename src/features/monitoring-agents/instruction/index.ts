/** Checks that a model carries out: their prompts and results, and how their runs begin and end. */
export { beginInstructionCheck, type InstructionCheckDeps, type InstructionCheckRun } from './begin.ts';
export { finishInstructionCheck } from './finish.ts';
export { checkRuns, instructionProfile } from './kind.ts';
export { submitCheckResult } from './submit-check-result.ts';
