/** Series as results show them: joined over several windows, with their statistics, downsampled. */
import {
  detectOnset,
  harmfulScore,
  seriesAnomaly,
  type MetricSeries,
  type SeriesAnomaly,
  type TimeWindow,
} from '../../diagnosis/index.ts';
import type { AnomalyResult, IsoTime } from '../results.ts';
import { significant } from '../text.ts';
import { toIso } from '../time.ts';

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

/** Below this score a series is quiet, and the onset of its movement means nothing. */
const NOTABLE = 3;

/** Compares a series in a window with its baseline; the series must hold both. */
export function anomalyOf(series: MetricSeries, incident: TimeWindow, baseline: TimeWindow): AnomalyResult {
  const anomaly = seriesAnomaly(series, { incident, baseline });
  const moved = harmfulScore(anomaly) >= NOTABLE;
  const onset = moved ? detectOnset(series, { search: incident, reference: baseline }) : undefined;
  return presentAnomaly({ ...anomaly, onset });
}

export function presentAnomaly(anomaly: SeriesAnomaly): AnomalyResult {
  return {
    meaning: anomaly.meaning,
    direction: anomaly.direction,
    score: significant(anomaly.score),
    baseline_median: known(anomaly.baselineMedian),
    baseline_spread: known(anomaly.baselineSpread),
    incident_value: known(anomaly.incidentValue),
    onset: anomaly.onset === undefined ? null : toIso(anomaly.onset),
  };
}

/** Rounded; null for what is not a number. */
export function known(value: number): number | null {
  return Number.isFinite(value) ? significant(value) : null;
}

interface Point {
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
