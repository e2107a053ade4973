import pMap from 'p-map';

/** Maps with at most `width` concurrent calls; results keep the order of `items`. The first error ends the rest. */
export function mapConcurrently<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  return pMap(items, work, { concurrency: width });
}
