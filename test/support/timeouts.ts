import type { Timeouts } from '../../src/config.ts';

/** A machine that is busy may take long to answer, and no test is about that. */
export const LONG_TIMEOUTS = {
  connectMs: 60_000,
  redisMs: 60_000,
  temporalMs: 60_000,
  gitMs: 120_000,
  largeBodyMs: 60_000,
} satisfies Timeouts;
