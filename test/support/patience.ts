import type { Patience } from '../../src/bin/patience.ts';

/** A machine that is busy may take long to answer, and no test is about that. */
export const PATIENCE = {
  connectTimeoutMs: 60_000,
  redisTimeoutMs: 60_000,
  controlDeadlineMs: 60_000,
  gitTimeoutMs: 120_000,
} satisfies Patience;
