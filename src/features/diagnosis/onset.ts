import { harmfulDeviation } from './series-anomaly.ts';
import { harmfulDirection, metricMeaning } from './metric-meaning.ts';
import { lowerBound, quantileInPlace } from './statistics.ts';
import type { MetricSeries, TimeWindow } from './types.ts';

/** Alert times are good to this many seconds at best: rules evaluate late, and clocks and scrapes differ. */
export const ALERT_TIME_ERROR_SECONDS = 120;

/** Alerts wait for a condition to hold and may fire this long after the worst is over. */
const LATEST_ALERT_SECONDS = 1800;

/**
 * Seconds around an onset that belong to neither "before" nor "after": the error of the alert time, or the one
 * sampling interval that such an error can taint, whichever is longer.
 */
export function onsetTolerance(interval: number, alertTimeError = ALERT_TIME_ERROR_SECONDS): number {
  return Math.max(alertTimeError, interval);
}

/** Median distance between samples in seconds; 60 if unknown. */
export function samplingInterval(series: readonly MetricSeries[]): number {
  let longest: MetricSeries | undefined;
  for (const one of series) {
    if (longest === undefined || isLonger(one, longest)) longest = one;
  }
  const count = (longest?.timestamps.length ?? 0) - 1;
  if (longest === undefined || count < 1) return 60;
  const gaps = new Float64Array(count);
  for (let i = 0; i < count; i++) gaps[i] = longest.timestamps[i + 1]! - longest.timestamps[i]!;
  const median = quantileInPlace(gaps, count, 0.5);
  return median > 0 ? median : 60;
}

/** More samples, or equally many in less time, so that the order of series does not matter. */
function isLonger({ timestamps: a }: MetricSeries, { timestamps: b }: MetricSeries): boolean {
  if (a.length !== b.length) return a.length > b.length;
  return a.length > 0 && a[a.length - 1]! - a[0]! < b[b.length - 1]! - b[0]!;
}

export interface OnsetQuestion {
  /** Where the onset may lie; the deviation is searched here. */
  search: TimeWindow;
  /** Samples that define normal. */
  reference: TimeWindow;
  /** Prefer the run of deviating samples around this time (unix seconds). */
  near?: number;
}

/**
 * When a series left its normal level: the first sample of the run that exceeds half of the peak deviation in the
 * harmful direction. With `near`, the peak is looked for from half an hour before it, and the run is followed
 * backwards from the peak over at most one healthy or missing sample, so an alert that fired minutes late still leads
 * to the start. Undefined when nothing deviates.
 */
export function detectOnset(series: MetricSeries, question: OnsetQuestion): number | undefined {
  const direction = harmfulDirection(metricMeaning(series.metric, series.statistic));
  const { timestamps, values } = series;
  const reference = medianWithin(series, question.reference);
  if (Number.isNaN(reference)) return undefined;
  const from = lowerBound(timestamps, question.search.from);
  const to = Math.min(lowerBound(timestamps, question.search.to), values.length);
  const peakFrom =
    question.near === undefined ? from : Math.max(from, lowerBound(timestamps, question.near - LATEST_ALERT_SECONDS));
  let peak = -1;
  let peakDeviation = 0;
  for (let i = peakFrom; i < to; i++) {
    const deviation = harmfulDeviation(values[i]!, reference, direction);
    if (deviation > peakDeviation && Number.isFinite(deviation)) {
      peak = i;
      peakDeviation = deviation;
    }
  }
  if (peak < 0) return undefined;
  let onset = peak;
  let misses = 0;
  for (let i = peak - 1; i >= from && misses < 2; i--) {
    if (harmfulDeviation(values[i]!, reference, direction) >= peakDeviation / 2) {
      onset = i;
      misses = 0;
    } else misses++;
  }
  return timestamps[onset];
}

function medianWithin(series: MetricSeries, window: TimeWindow): number {
  const { timestamps, values } = series;
  const from = lowerBound(timestamps, window.from);
  const to = Math.min(lowerBound(timestamps, window.to), values.length);
  const present = Float64Array.from(values.slice(from, Math.max(from, to)).filter(Number.isFinite));
  return quantileInPlace(present, present.length, 0.5);
}
