/** Series in the chart library's form: one list of times, and per series one value for each. */
import type { Schema } from '../../api/client.ts';

type Series = Pick<Schema<'ChartSeries'>, 'points'>;

/**
 * undefined: another series has a sample at this time and this one does not. null: a missing sample, drawn as a gap.
 */
type Value = number | null | undefined;

export interface Aligned {
  /** In seconds since 1970, ascending. */
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

/** The last sample at or before a time; series are sampled at different times. */
export function valueAt({ values }: Aligned, series: number, time: number): number | null | undefined {
  for (let at = time; at >= 0; at--) if (values[series]?.[at] !== undefined) return values[series][at];
  return undefined;
}
