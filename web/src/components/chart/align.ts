/** Series as the chart library takes them: one list of times, and for each series a value at each of them. */
import type { Schema } from '../../api/client.ts';

type Series = Pick<Schema<'ChartSeries'>, 'points'>;

/** A time at which another series has a sample and this one has none; null is a sample that is missing, a gap. */
type Value = number | null | undefined;

export interface Aligned {
  /** In seconds since 1970, rising. */
  times: number[];
  values: Value[][];
}

export function align(series: readonly Series[]): Aligned {
  const byTime = series.map(({ points }) => new Map(points.map(([at, value]) => [Date.parse(at) / 1000, value])));
  const times = [...new Set(byTime.flatMap((points) => [...points.keys()]))]
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  return { times, values: byTime.map((points) => times.map((time) => points.get(time))) };
}

/** The last sample at or before a time: series are not all sampled at the same ones. */
export function valueAt({ values }: Aligned, series: number, time: number): number | null | undefined {
  for (let at = time; at >= 0; at--) if (values[series]?.[at] !== undefined) return values[series][at];
  return undefined;
}
