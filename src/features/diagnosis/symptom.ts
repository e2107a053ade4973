import { metricMeaning } from './metric-meaning.ts';
import { alertingSeries } from './windows.ts';
import { harmfulScore, seriesAnomaly, type ComparedWindows } from './series-anomaly.ts';
import { quantile } from './statistics.ts';
import type { Alert, MetricMeaning, MetricSeries, SymptomState } from './types.ts';

/** A smaller score is what health shows now and then. */
const NOTABLE = 3;
/** One sample may be an exception. */
const LAST_SAMPLES = 3;
const FELT: readonly MetricMeaning[] = ['latency', 'errors', 'availability'];

/**
 * An alert on a counter of requests is about those that fail, if some do: sources derive their share from the counter,
 * as `http_requests_total:error_ratio`. How many requests there are says little, and varies with the time of day.
 */
export function aboutFailures(alert: Alert | undefined, series: readonly MetricSeries[]): Alert | undefined {
  if (alert?.metric === undefined || metricMeaning(alert.metric) !== 'traffic') return alert;
  const derived = series.find(
    ({ service, metric, statistic, values }) =>
      service === alert.service &&
      metric.startsWith(`${alert.metric}:`) &&
      metricMeaning(metric, statistic) === 'errors' &&
      values.some((value) => value > 0),
  );
  return derived === undefined ? alert : { ...alert, metric: derived.metric };
}

/**
 * Whether the alert's symptom lasts until the end of the data: its last samples are still more than half the way from
 * the baseline to the incident's worst.
 * @returns undefined if no metric of the alerting service shows a symptom
 */
export function symptomState(
  series: readonly MetricSeries[],
  alert: Alert | undefined,
  windows: ComparedWindows,
): SymptomState | undefined {
  const notable = alertingSeries(series, alert)
    .map((one) => ({ one, anomaly: seriesAnomaly(one, windows) }))
    .filter(({ anomaly }) => harmfulScore(anomaly) >= NOTABLE)
    .toSorted((a, b) => harmfulScore(b.anomaly) - harmfulScore(a.anomaly));
  const worst = notable.find(({ anomaly }) => FELT.includes(anomaly.meaning)) ?? notable[0];
  if (worst === undefined) return undefined;
  const { timestamps, values } = worst.one;
  const { baselineMedian, incidentValue } = worst.anomaly;
  const last: number[] = [];
  let asOf = 0;
  for (let i = timestamps.length - 1; i >= 0 && last.length < LAST_SAMPLES; i--) {
    if (!Number.isFinite(values[i])) continue;
    asOf ||= timestamps[i]!;
    last.push(values[i]!);
  }
  const moved = (quantile(last, 0.5) - baselineMedian) / (incidentValue - baselineMedian);
  return { isOngoing: moved > 0.5, asOf };
}
