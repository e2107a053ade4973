/** Why a run ended early, to complete a sentence such as "It ended early because". */
const WORDS: Record<string, string> = {
  steps: 'it reached its step limit',
  cost: 'it reached its cost budget',
  wall_time: 'it reached its time limit',
  repeated_calls: 'the model kept repeating the same tool call',
  no_report: 'the model ended without submitting a report',
  refusal: 'the model declined to answer',
  model_failure: 'the model could not be reached',
};

export const limitWords = (limit: string): string => WORDS[limit] ?? `it reached a limit (${limit})`;
