/** What the demo asks a monitoring agent to do. */

/** Identifies the agent of an earlier demo. */
export const AGENT_TITLE = 'Watch over the demo shop';

export const DESCRIPTION = 'Watch the whole shop every 10 seconds.';

/** Short times for every check, because the shop is minutes old: by default the agent compares with the last hour. */
export const YOUNG_SHOP = {
  check: { window_seconds: 30, history_seconds: 300 },
  confirmations: 2,
  dedup_key: '{check}',
  cool_down_seconds: 60,
};
