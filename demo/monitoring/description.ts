/** What the demo asks a monitoring agent to do. */

/** By this the agent of an earlier demo is known. */
export const AGENT_TITLE = 'Watch over the demo shop';

/** Short times, because the shop is minutes old: a system that runs for months is compared with hours. */
export const DESCRIPTION =
  'Watch the whole shop every 10 seconds, and compare the last 30 seconds with the 5 minutes before. ' +
  'Investigate when something is off twice in a row. Report it as one finding, with a cool-down of 1 minute.';
