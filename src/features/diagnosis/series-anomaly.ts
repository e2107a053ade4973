import { harmfulDirection, metricMeaning } from './metric-meaning.ts';
import {
  lowerBound,
  quantileInPlace,
  type SampleSummary,
  summarizeInPlace,
  extremes,
  surpriseOf,
} from './statistics.ts';
import type { HarmfulDirection, MetricMeaning, MetricSeries, SeriesAnomaly, TimeWindow } from './types.ts';

export interface ComparedWindows {
  baseline: TimeWindow;
  incident: TimeWindow;
  /** The time just before the onset. A level already held then cannot be blamed on the incident. */
  before?: TimeWindow;
}

/** Share of the median below which a spread is measurement noise, not behaviour. */
const RELATIVE_SPREAD_FLOOR = 0.01;
/** Availability is a percentage with a known scale: a tenth of a point is the step between service levels. */
const AVAILABILITY_SPREAD_FLOOR = 0.001;
/** Score of the first movement of a series that was constantly zero: its unit of surprise is unknown, not infinite. */
const NEW_SIGNAL_SCORE = 10;
/**
 * A share of failed requests has a known unit: half a point is what a few failures among hundreds make. A service that
 * never failed and now fails every second request is a hundred of these from normal.
 */
const ERROR_SHARE_STEP = 0.005;
const SCORE_LIMIT = 1e6;
let scratch = new Float64Array(1024);

/**
 * How far a series moved in an incident, as a signed robust score: (value - median) / max(IQR, standard deviation,
 * floor), positive in the direction that harms by the metric's meaning. With `before`, the smaller of the deviations
 * from the baseline and from the level just before the onset counts (a difference in differences), so that drift
 * between a distant baseline and the incident is not mistaken for the fault.
 *
 * The value is the most harmful one: which part of the window the fault acts in is not known, and a short one is lost
 * in any other quantile. Missing samples are ignored. Score 0 when either window holds none. After RobustScorer of BARO (arXiv 2405.09330).
 */
export function seriesAnomaly(series: MetricSeries, windows: ComparedWindows): SeriesAnomaly {
  const meaning = metricMeaning(series.metric, series.statistic);
  const direction = harmfulDirection(meaning);
  const baselineCount = collect(series, windows.baseline);
  const baseline = summarizeInPlace(scratch, baselineCount);
  const spread = baselineCount > 0 ? spreadOf(series, baseline, meaning) : Number.NaN;
  const before =
    windows.before === undefined ? Number.NaN : quantileInPlace(scratch, collect(series, windows.before), 0.5);
  const incidentCount = collect(series, windows.incident);
  const anomaly: SeriesAnomaly = {
    service: series.service,
    metric: series.metric,
    ...(series.statistic === undefined ? {} : { statistic: series.statistic }),
    ...(series.unit === undefined ? {} : { unit: series.unit }),
    meaning,
    direction,
    score: 0,
    baselineMedian: baseline.median,
    baselineSpread: spread,
    incidentValue: Number.NaN,
    ...(Number.isNaN(before) ? {} : { levelBefore: before }),
    baselineSamples: baselineCount,
    incidentSamples: incidentCount,
    persistence: 0,
  };
  if (incidentCount === 0) return anomaly;
  const [low, high] = extremes(scratch, incidentCount);
  anomaly.incidentValue = direction === 'down' ? low : high;
  if (baselineCount === 0) return anomaly;
  const newPerUnit = meaning === 'errors' ? 1 / (ERROR_SHARE_STEP * (shareScale(series.unit) ?? Infinity)) : 0;
  const up = scoreOf(high, baseline.median, before, { spread, newPerUnit }, 1);
  const down = scoreOf(low, baseline.median, before, { spread, newPerUnit }, -1);
  if (direction === 'up') anomaly.score = up;
  else if (direction === 'down') anomaly.score = down;
  else if (down > up) {
    anomaly.incidentValue = low;
    anomaly.score = -down;
  } else anomaly.score = up;
  const half = Math.abs(anomaly.incidentValue - baseline.median) / 2;
  const sign = Math.sign(anomaly.incidentValue - baseline.median);
  for (let i = 0; i < incidentCount; i++) if (sign * (scratch[i]! - baseline.median) >= half) anomaly.persistence++;
  return anomaly;
}

/**
 * How surprising the incident's samples are that lie at least half way from the baseline's median to the worst, in nats.
 * @param anomaly of this series in these windows
 */
export function anomalySurprise(series: MetricSeries, anomaly: SeriesAnomaly, { baseline }: ComparedWindows): number {
  const { baselineMedian, incidentValue, persistence, incidentSamples } = anomaly;
  const half = Math.abs(incidentValue - baselineMedian) / 2;
  const sign = Math.sign(incidentValue - baselineMedian);
  const healthy = { beyond: 0, of: collect(series, baseline) };
  for (let i = 0; i < healthy.of; i++) if (sign * (scratch[i]! - baselineMedian) >= half) healthy.beyond++;
  return surpriseOf({ beyond: persistence, of: incidentSamples }, healthy);
}

/** The share of a harmful score that counts as evidence, whatever the sign convention of the direction. */
export function harmfulScore(anomaly: SeriesAnomaly): number {
  return anomaly.direction === 'either' ? Math.abs(anomaly.score) : Math.max(0, anomaly.score);
}

/** Deviation of one sample from a reference, positive when harmful; used to find onsets. */
export function harmfulDeviation(value: number, reference: number, direction: HarmfulDirection): number {
  if (direction === 'up') return value - reference;
  if (direction === 'down') return reference - value;
  return Math.abs(value - reference);
}

function scoreOf(
  value: number,
  median: number,
  before: number,
  { spread, newPerUnit }: { spread: number; newPerUnit: number },
  sign: 1 | -1,
): number {
  let deviation = sign * (value - median);
  if (!Number.isNaN(before)) deviation = Math.min(deviation, sign * (value - before));
  if (deviation === 0) return 0;
  const score =
    spread > 0
      ? deviation / spread
      : Math.sign(deviation) * Math.max(NEW_SIGNAL_SCORE, Math.abs(deviation) * newPerUnit);
  return Math.max(-SCORE_LIMIT, Math.min(SCORE_LIMIT, score));
}

/** Reads the baseline's samples from the scratch array, where the summary left them. */
function spreadOf(series: MetricSeries, baseline: SampleSummary, meaning: MetricMeaning): number {
  return Math.max(baseline.interquartileRange, baseline.standardDeviation, spreadFloor(series, baseline, meaning));
}

function spreadFloor(series: MetricSeries, baseline: SampleSummary, meaning: MetricMeaning): number {
  const least = leastSpread(series.unit, baseline.median, meaning);
  if ((meaning === 'errors' || meaning === 'traffic') && holdsCounts(baseline.count)) {
    // Independent events scatter by the square root of their number (Poisson): the first one ever is not a ten-sigma
    // event.
    return Math.max(least, Math.sqrt(Math.max(1, baseline.median)));
  }
  return least;
}

/** The spread, in the metric's unit, below which variation around a median is measurement noise. */
export function leastSpread(unit: string | undefined, median: number, meaning: MetricMeaning): number {
  // 1 % of a median of 100 % would hide the loss of every hundredth request.
  const scale = meaning === 'availability' ? availabilityScale(unit, median) : undefined;
  return scale === undefined ? Math.abs(median) * RELATIVE_SPREAD_FLOOR : scale * AVAILABILITY_SPREAD_FLOOR;
}

function holdsCounts(count: number): boolean {
  let positive = false;
  for (let i = 0; i < count; i++) {
    const value = scratch[i]!;
    if (value < 0 || !Number.isInteger(value)) return false;
    if (value > 0) positive = true;
  }
  return positive;
}

/** 1 for a ratio, 100 for a percentage, undefined for a count of something available. */
function availabilityScale(unit: string | undefined, median: number): number | undefined {
  const stated = shareScale(unit);
  if (stated !== undefined) return stated;
  if (median >= 0 && median <= 1) return 1;
  return median > 50 && median <= 100 ? 100 : undefined;
}

/** The value of a whole in a unit of shares; undefined for other units. */
export function shareScale(unit: string | undefined): number | undefined {
  const name = unit?.toLowerCase();
  if (name === '%' || name === 'percent' || name === 'percentage') return 100;
  return name === 'ratio' || name === '1' || name === 'fraction' ? 1 : undefined;
}

/** Copies the present samples of a window into the shared scratch array and returns how many there are. */
function collect(series: MetricSeries, window: TimeWindow): number {
  const { timestamps, values } = series;
  const from = lowerBound(timestamps, window.from);
  const to = Math.min(lowerBound(timestamps, window.to), values.length);
  if (to - from > scratch.length) scratch = new Float64Array((to - from) * 2);
  let count = 0;
  for (let i = from; i < to; i++) {
    const value = values[i]!;
    if (value - value === 0) scratch[count++] = value; // false for NaN and both infinities
  }
  return count;
}
