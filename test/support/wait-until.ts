import { waitUntil as productWaitUntil, type WaitOptions } from '../../src/embedded/wait-until.ts';

/** Less than a test may take, so that what it waited for is in the error: only what hangs takes as long. */
const MAX_MS = 240_000;

/** {@link productWaitUntil}, as long as it takes. */
export const waitUntil = <T>(
  attempt: () => Promise<T | undefined> | T | undefined,
  options: Omit<WaitOptions, 'timeoutMs'>,
): Promise<T> => productWaitUntil(attempt, { ...options, timeoutMs: MAX_MS });
