/** What ended a turn early, as the rest of a sentence that begins with "The answer ended early because". */
const WORDS: Record<string, string> = {
  steps: 'it took as many steps as a turn may take',
  cost: 'it cost as much as a turn may cost',
  wall_time: 'it took as long as a turn may take',
  repeated_calls: 'the model kept repeating the same tool call',
  refusal: 'the model declined to answer',
  model_failure: 'the model could not be reached',
};

export const limitWords = (limit: string): string => WORDS[limit] ?? `it reached a limit (${limit})`;
