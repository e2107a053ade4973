import pMap from 'p-map';

/** Maps with at most `width` concurrent calls; results keep the order of `items`. The first error ends the rest. */
export function mapConcurrently<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  return pMap(items, work, { concurrency: width });
}

/**
 * Stops waiting for work when a signal fires; work that ignores the signal continues in the background.
 * @throws the signal's reason when it fires first
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', onAbort));
}
