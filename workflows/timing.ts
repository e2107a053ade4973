/**
 * How long workflows wait for what is lost or fails. Workflow code must not depend on a worker's environment, so these
 * are constants of the bundle; `temporal/bundle.ts` takes another module in their place, as tests do.
 */
export const timing = {
  /** A killed worker is noticed within this time, ms. */
  heartbeatTimeout: 12_000,
  /** Pause before an activity's second attempt, ms; each later one is twice as long. */
  firstRetry: 1_000,
};
