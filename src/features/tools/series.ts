/** Merges series read over several windows. */
import type { MetricSeries } from '../sources/port.ts';

/** Equal for pieces of the same series. */
export function identity({ service, metric, statistic }: MetricSeries): string {
  return JSON.stringify([service, metric, statistic]);
}

/**
 * Joins the pieces of each series in time order; a sample in several pieces counts once.
 * @returns the series in order of first appearance
 */
export function joinAll(pieces: readonly MetricSeries[]): MetricSeries[] {
  const groups = new Map<string, MetricSeries[]>();
  for (const piece of pieces) {
    const group = groups.get(identity(piece));
    if (group) group.push(piece);
    else groups.set(identity(piece), [piece]);
  }
  return [...groups.values()].map(join);
}

function join(pieces: readonly MetricSeries[]): MetricSeries {
  const [first, ...others] = pieces;
  if (!first || others.length === 0) return first ?? { service: '', metric: '', timestamps: [], values: [] };
  const samples = new Map<number, number>();
  for (const { timestamps, values } of pieces) {
    for (const [index, at] of timestamps.entries()) samples.set(at, values[index] ?? Number.NaN);
  }
  const timestamps = [...samples.keys()].sort((a, b) => a - b);
  return { ...first, timestamps, values: timestamps.map((at) => samples.get(at) ?? Number.NaN) };
}
