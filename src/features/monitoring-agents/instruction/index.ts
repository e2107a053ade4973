/** Checks that a model carries out: their prompts and results, and how their runs begin and end. */
export { beginInstructionCheck, type InstructionCheckDeps, type InstructionCheckRun } from './begin.ts';
export { finishInstructionCheck } from './finish.ts';
export { checkRuns } from './kind.ts';
export { instructionProfile } from './profile.ts';
export { submitCheckResult } from './submit-check-result.ts';
