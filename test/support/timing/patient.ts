import type { timing as product } from '../../../workflows/timing.ts';

/** For tests that kill nothing: however long the machine stands still, no attempt is lost. */
export const timing: typeof product = { heartbeatTimeout: 120_000, firstRetry: 100 };
