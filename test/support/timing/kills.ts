import type { timing as product } from '../../../workflows/timing.ts';

/** For tests that kill workers, and wait until that is noticed. */
export const timing: typeof product = { heartbeatTimeout: 4_000, firstRetry: 100 };
