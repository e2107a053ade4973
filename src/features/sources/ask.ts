/** Queries a source for a waiting caller, with a timeout. */
import type { Logger } from '../../platform/logger.ts';
import { SourceError, type CallOptions } from './port.ts';

const TIMEOUT_MS = 5_000;

interface Asking {
  /** Fires when the caller gives up. */
  signal: AbortSignal;
  log: Logger;
  timeoutMs?: number;
}

/**
 * A source's answer, or why there is none.
 * @throws only when the signal has fired
 */
export async function askWithin<T>(
  ask: (options: CallOptions) => Promise<T>,
  { signal, log, timeoutMs = TIMEOUT_MS }: Asking,
): Promise<{ answer: T } | { error: string }> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, timeout]);
  const { promise: over, resolve } = Promise.withResolvers<'over'>();
  const end = (): void => resolve('over');
  either.addEventListener('abort', end, { once: true });
  if (either.aborted) end();
  try {
    // A source should stop when its signal fires; the caller does not wait for one that does not.
    const answer = await Promise.race([ask({ signal: either }), over]);
    if (answer !== 'over') return { answer };
  } catch (error) {
    if (!either.aborted) {
      if (error instanceof SourceError) return { error: error.message };
      log.warn({ err: error }, 'a source could not be queried');
      return { error: 'It could not be queried.' };
    }
  } finally {
    either.removeEventListener('abort', end);
  }
  signal.throwIfAborted();
  return { error: `It did not answer within ${timeoutMs / 1_000} s.` };
}
