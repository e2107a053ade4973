/** Results of these come from the model itself and prove nothing. */
const OWN_WORDS: ReadonlySet<string> = new Set([
  'update_plan',
  'submit_report',
  'submit_check_result',
  'update_monitoring_plan',
]);

/** @returns whether a tool's results can be cited as evidence */
export function isCitable(tool: string): boolean {
  return !OWN_WORDS.has(tool);
}
