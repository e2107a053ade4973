import type { RunLimit } from '../../runs/contract.ts';

const WORDS: Record<RunLimit, string> = {
  steps: 'the run reached its step limit',
  cost: 'the run reached its cost budget',
  wall_time: 'the run reached its time limit',
  repeated_calls: 'the model kept repeating the same tool call',
  no_report: 'the model ended without submitting a report',
  refusal: 'the model declined to answer',
  model_failure: 'the model could not be reached',
};

/** @returns why a run ended early, to complete a sentence after "because" */
export function describeLimit(limit: RunLimit): string {
  return WORDS[limit];
}
