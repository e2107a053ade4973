import { metricFamily } from './metric-meaning.ts';
import { harmfulScore } from './series-anomaly.ts';
import type { MetricMeaning, SeriesAnomaly } from './types.ts';

/**
 * Weight of evidence that would have to be converted on its way to the alert (slowness into failures through a
 * time-out, failures into slowness through retries) and of metrics whose meaning is unknown.
 */
const INDIRECT_WEIGHT = 0.5;
/** Baseline samples at which a spread estimate is believed by half; the shrinkage n / (n + k) of credibility theory. */
const HALF_CREDIBLE_SAMPLES = 5;
/**
 * A change of a hundred spreads is beyond doubt and far outside what the baseline can calibrate. How far it goes beyond
 * that only tells how quiet the baseline was (a pool nobody ever waited for), so the excess counts a tenth.
 */
const BEYOND_DOUBT = 100;
const EXTRAPOLATION = 0.1;

/** From so many samples on, a lone one that deviates counts less. */
const SPARSE_SAMPLES = 5;
const LONE_SAMPLE_WEIGHT = 0.5;

/** The evidence in one service's series on a natural log scale, >= 0. */
export interface ServiceEvidence {
  harm: number;
  signals: SeriesAnomaly[];
  scoredSeries: number;
}

/**
 * log(1 + score): with heavy tails, P(score > x) falls as a power of x, so this is proportional to the information
 * -log P that the score ordering of arXiv 2406.05014 compares. A spread from a handful of samples counts less.
 */
export function seriesEvidence(anomaly: SeriesAnomaly, alert: MetricMeaning | undefined): number {
  const credibility = anomaly.baselineSamples / (anomaly.baselineSamples + HALF_CREDIBLE_SAMPLES);
  return information(harmfulScore(anomaly)) * credibility * persistence(anomaly) * relevance(anomaly.meaning, alert);
}

/** One sample among several others that are as usual is a coincidence more often than a fault. */
function persistence({ meaning, persistence: samples, incidentSamples }: SeriesAnomaly): number {
  return meaning === 'latency' && samples === 1 && incidentSamples >= SPARSE_SAMPLES ? LONE_SAMPLE_WEIGHT : 1;
}

export function information(score: number): number {
  if (score <= BEYOND_DOUBT) return Math.log1p(score);
  return Math.log1p(BEYOND_DOUBT) + EXTRAPOLATION * Math.log(score / BEYOND_DOUBT);
}

/**
 * Pools a service's series: instances of one statistic count by their worst, the statistics of one measurement by
 * their mean (p50, p95 and p99 are one witness, and the noisiest percentile must not speak for it), measurements by
 * their strongest. `shortfall` (<= 0) is taken from latency that cannot account for the alert; see explained-share.ts.
 */
export function serviceEvidence(
  anomalies: readonly SeriesAnomaly[],
  alert: MetricMeaning | undefined,
  shortfall = 0,
  weightOf: (anomaly: SeriesAnomaly) => number = () => 1,
): ServiceEvidence {
  const families = new Map<string, { meaning: MetricMeaning; statistics: Map<string, number> }>();
  const ranked: Array<{ anomaly: SeriesAnomaly; evidence: number }> = [];
  let scoredSeries = 0;
  for (const anomaly of anomalies) {
    if (anomaly.baselineSamples === 0 || anomaly.incidentSamples === 0) continue;
    scoredSeries++;
    const evidence = weightOf(anomaly) * seriesEvidence(anomaly, alert);
    if (evidence > 0) ranked.push({ anomaly, evidence });
    const name = metricFamily(anomaly.metric);
    let family = families.get(name);
    if (family === undefined) {
      family = { meaning: anomaly.meaning, statistics: new Map() };
      families.set(name, family);
    }
    const statistic = `${anomaly.metric} ${anomaly.statistic ?? ''}`;
    family.statistics.set(statistic, Math.max(family.statistics.get(statistic) ?? 0, evidence));
  }
  let harm = 0;
  for (const family of families.values()) {
    const mean = meanOf(family.statistics);
    if (family.meaning === 'latency') harm = Math.max(harm, mean + shortfall);
    else harm = Math.max(harm, mean);
  }
  ranked.sort((a, b) => b.evidence - a.evidence || compareSeries(a.anomaly, b.anomaly));
  return { harm, signals: ranked.slice(0, 5).map(({ anomaly }) => anomaly), scoredSeries };
}

function relevance(meaning: MetricMeaning, alert: MetricMeaning | undefined): number {
  // More or fewer calls are no harm in themselves; their effect on a service shows in its other metrics.
  if (meaning === 'traffic') return alert === 'traffic' ? 1 : 0;
  const symptom = symptomOf(alert);
  // A resource runs out before any symptom, so saturation is direct evidence for all of them.
  if (symptom === undefined || meaning === 'saturation' || meaning === 'headroom') return 1;
  return symptomOf(meaning) === symptom ? 1 : INDIRECT_WEIGHT;
}

function symptomOf(meaning: MetricMeaning | undefined): 'slow' | 'failing' | undefined {
  if (meaning === 'latency') return 'slow';
  return meaning === 'errors' || meaning === 'availability' ? 'failing' : undefined;
}

/** Sums in sorted order, so that the order of the input cannot change the last bit of the result. */
function meanOf(statistics: ReadonlyMap<string, number>): number {
  const values = [...statistics.values()].sort((a, b) => a - b);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function compareSeries(a: SeriesAnomaly, b: SeriesAnomaly): number {
  const left = `${a.metric} ${a.statistic ?? ''}`;
  const right = `${b.metric} ${b.statistic ?? ''}`;
  return left < right ? -1 : left > right ? 1 : b.score - a.score;
}
