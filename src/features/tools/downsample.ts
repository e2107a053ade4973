/** Downsamples a series for a model: few points, no extremes lost. */
import type { IsoTime } from './results.ts';
import { significant } from './text.ts';
import { toIso } from './time.ts';

export interface Point {
  at: number;
  /** null: the sample is missing. */
  value: number | null;
}

/** Maximum points of one series in a result. */
export const MAX_POINTS = 60;

/**
 * Reduces a series to at most `limit` points: the first, the last, and of every equal interval in between the lowest
 * and the highest, each at its own time. This is M4 (Jugel et al., VLDB 2014) without the ends of each interval.
 * Largest-Triangle-Three-Buckets looks smoother but keeps one point per bucket by area, so it can drop a one-sample
 * spike next to a larger swing, and a spike is what an investigation is after. An interval without samples leaves one
 * null, so that gaps show.
 * @param timestamps unix seconds, ascending
 * @param values as long as `timestamps`; not finite means missing
 * @param limit at least 4
 * @returns points in time order; the global minimum and maximum are among them
 */
export function downsample(timestamps: readonly number[], values: readonly number[], limit = MAX_POINTS): Point[] {
  const length = Math.min(timestamps.length, values.length);
  const pointAt = (index: number): Point => {
    const value = values[index] ?? Number.NaN;
    return { at: timestamps[index] ?? 0, value: Number.isFinite(value) ? value : null };
  };
  if (length <= limit) return Array.from({ length }, (_, index) => pointAt(index));

  const kept = [0];
  const stretches = Math.floor((limit - 2) / 2);
  const inner = length - 2;
  for (let stretch = 0; stretch < stretches; stretch++) {
    const begin = 1 + Math.floor((stretch * inner) / stretches);
    const end = 1 + Math.floor(((stretch + 1) * inner) / stretches);
    kept.push(...extremes(values, begin, end));
  }
  kept.push(length - 1);
  return kept.map(pointAt);
}

/** Indexes of the lowest and highest sample in `[begin, end)`, in order; of any one if all are missing. */
function extremes(values: readonly number[], begin: number, end: number): number[] {
  let lowest = -1;
  let highest = -1;
  for (let index = begin; index < end; index++) {
    const value = values[index] ?? Number.NaN;
    if (!Number.isFinite(value)) continue;
    if (lowest < 0 || value < (values[lowest] ?? 0)) lowest = index;
    if (highest < 0 || value > (values[highest] ?? 0)) highest = index;
  }
  if (lowest < 0) return [begin];
  if (lowest === highest) return [lowest];
  return lowest < highest ? [lowest, highest] : [highest, lowest];
}

/** The points of a result: ISO time and value, downsampled and rounded. */
export function resultPoints(
  timestamps: readonly number[],
  values: readonly number[],
  limit = MAX_POINTS,
): [IsoTime, number | null][] {
  return downsample(timestamps, values, limit).map(({ at, value }) => [
    toIso(at),
    value === null ? null : significant(value),
  ]);
}
