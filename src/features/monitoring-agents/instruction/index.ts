/** Checks that a model carries out: what it is told, what it hands in, and how its runs begin and end. */
export { beginInstructionCheck, type InstructionCheckDeps, type InstructionCheckRun } from './begin.ts';
export { finishInstructionCheck } from './finish.ts';
export { instructionProfile } from './profile.ts';
export { submitCheckResult } from './submit-check-result.ts';
