import type { MetricMeaning, SeriesAnomaly } from './types.ts';

/**
 * A service is exonerated only when it falls short of this share of the alert's slowdown. The order of magnitude of
 * slack is for averages over mixed endpoints, for waiting that a slow dependency causes in its callers' queues, and
 * for noise in the figures.
 */
const NECESSARY_SHARE = 0.1;
/** The mean to explain must have moved by this score before it says anything about others. */
const MOVED = 3;

/**
 * Which part of a change in one service another can account for: calls are waited for and failures passed on, so
 * (calls per request) x (rise of the callee's mean latency, or fall of its availability) is what a caller's mean can
 * change by. 1 accounts for all of it; more means that not every call was waited for or came from this caller.
 *
 * Undefined unless both report the mean of the same metric of this meaning and the same traffic metric, and the
 * change to be explained is clear and harmful.
 */
export function explainedShare(
  effect: readonly SeriesAnomaly[],
  cause: readonly SeriesAnomaly[],
  meaning: MetricMeaning | undefined,
): number | undefined {
  const callsPerRequest = trafficRatio(cause, effect);
  if (callsPerRequest === undefined) return undefined;
  for (const changed of effect) {
    if (changed.meaning !== meaning || !isMean(changed) || changed.score < MOVED) continue;
    const own = cause.find((one) => isSameMeasurement(one, changed));
    return own && (callsPerRequest * Math.max(0, change(own))) / change(changed);
  }
  return undefined;
}

/**
 * The (natural) logarithm of how far a service falls short of a tenth of the alert's slowdown: 0 when it can account
 * for that much or when the figures are missing, otherwise negative.
 */
export function latencyShortfall(service: readonly SeriesAnomaly[], alerting: readonly SeriesAnomaly[]): number {
  const share = explainedShare(alerting, service, 'latency');
  return share === undefined ? 0 : Math.min(0, Math.log(share / NECESSARY_SHARE));
}

function isMean({ statistic }: SeriesAnomaly): boolean {
  return /^(average|avg|mean)$/i.test(statistic ?? '');
}

function isSameMeasurement(one: SeriesAnomaly, other: SeriesAnomaly): boolean {
  const compared = one.baselineSamples > 0 && one.incidentSamples > 0;
  return compared && one.metric === other.metric && one.statistic === other.statistic;
}

/** In the metric's own unit; the score carries the comparison with the level before the onset. */
function change(anomaly: SeriesAnomaly): number {
  return anomaly.score * anomaly.baselineSpread;
}

function trafficRatio(callee: readonly SeriesAnomaly[], caller: readonly SeriesAnomaly[]): number | undefined {
  for (const requests of caller) {
    if (requests.meaning !== 'traffic') continue;
    const calls = callee.find((one) => isSameMeasurement(one, requests));
    if (calls === undefined) continue;
    const ratio = calls.incidentValue / requests.incidentValue;
    if (Number.isFinite(ratio)) return ratio;
  }
  return undefined;
}
