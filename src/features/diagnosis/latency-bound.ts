import type { SeriesAnomaly } from './types.ts';

/**
 * A service is exonerated only when it falls short of this share of the alert's slowdown. The order of magnitude of
 * slack is for averages over mixed endpoints, for waiting that a slow dependency causes in its callers' queues, and
 * for quantiles read as values.
 */
const NECESSARY_SHARE = 0.1;
/** The alerting service's own mean must have moved by this score before it says anything about others. */
const MOVED = 3;

/**
 * How much of a slowdown a service can account for at most: calls are waited for, so the mean latency of the alerting
 * service rises by no more than (calls to the service per request) x (rise of the service's mean latency).
 *
 * Returns the (natural) logarithm of the shortfall against a tenth of the alert's rise: 0 when the service can
 * account for it or when mean latency or traffic of either is unknown, otherwise negative.
 */
export function latencyShortfall(service: readonly SeriesAnomaly[], alerting: readonly SeriesAnomaly[]): number {
  const callsPerRequest = trafficRatio(service, alerting);
  const shortfalls: number[] = [];
  for (const alert of alerting) {
    if (!isMeanLatency(alert) || alert.score < MOVED) continue;
    const own = service.find((one) => isSameMeasurement(one, alert));
    if (own === undefined || callsPerRequest === undefined) return 0;
    const share = (callsPerRequest * Math.max(0, rise(own))) / rise(alert);
    shortfalls.push(Math.min(0, Math.log(share / NECESSARY_SHARE)));
  }
  return shortfalls.length === 0 ? 0 : Math.max(...shortfalls);
}

function isMeanLatency(anomaly: SeriesAnomaly): boolean {
  return anomaly.meaning === 'latency' && /^(average|avg|mean)$/i.test(anomaly.statistic ?? '');
}

function isSameMeasurement(one: SeriesAnomaly, other: SeriesAnomaly): boolean {
  const compared = one.baselineSamples > 0 && one.incidentSamples > 0;
  return compared && one.metric === other.metric && one.statistic === other.statistic;
}

/** In the metric's own unit; the score carries the comparison with the level before the onset. */
function rise(anomaly: SeriesAnomaly): number {
  return anomaly.score * anomaly.baselineSpread;
}

/** Calls to the service per request to the alerting one; undefined unless both report the same traffic metric. */
function trafficRatio(service: readonly SeriesAnomaly[], alerting: readonly SeriesAnomaly[]): number | undefined {
  for (const requests of alerting) {
    if (requests.meaning !== 'traffic') continue;
    const calls = service.find((one) => isSameMeasurement(one, requests));
    if (calls === undefined) continue;
    const ratio = Math.max(calls.baselineMedian, calls.incidentValue) / requests.baselineMedian;
    if (Number.isFinite(ratio)) return ratio;
  }
  return undefined;
}
