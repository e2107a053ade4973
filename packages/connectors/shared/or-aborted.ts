import { QueryError } from '../connector.ts';

export const abortedError = (): QueryError =>
  new QueryError('timeout', 'The query was stopped: it timed out, or its caller gave up.');

/**
 * Waits for work that others may share, and that goes on when this caller gives up.
 * @throws {QueryError} `timeout` once `signal` fires
 */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  if (signal.aborted) throw abortedError();
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(abortedError());
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
