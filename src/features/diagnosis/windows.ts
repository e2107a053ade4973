import { metricMeaning } from './metric-meaning.ts';
import { ALERT_TIME_ERROR_SECONDS, detectOnset, onsetTolerance, samplingInterval } from './onset.ts';
import { quantileInPlace } from './statistics.ts';
import type { Alert, MetricSeries, RankingInput, TimeWindow } from './types.ts';

/** Without an incident window, this much after the alert is explained (or three samples, if that is longer). */
const DEFAULT_INCIDENT_SECONDS = 1800;
const SHORTEST_BASELINE_SAMPLES = 5;
/** At most this much of the time before an alert is given up because the alert's time is inexact. */
const MAX_GIVEN_UP = 1 / 4;

/** @param at unix seconds */
export function isDuring(at: number, { from, to }: TimeWindow): boolean {
  return at >= from && at < to;
}

export interface ResolvedWindows {
  baseline: TimeWindow;
  incident: TimeWindow;
  before: TimeWindow;
  onset?: number;
  notes: string[];
}

/**
 * Fixes the windows to compare. The onset is looked for in the alerting service's own series; one tolerance on either
 * side of it counts neither as healthy nor as "before", so an alert time wrong by a minute or two changes nothing.
 */
export function resolveWindows(input: RankingInput): ResolvedWindows {
  const notes: string[] = [];
  const alerting = alertingSeries(input.series, input.alert);
  const interval = samplingInterval(alerting.length > 0 ? alerting : input.series);
  const extent = extentOf(input.series, interval);
  const timeError = alertTimeError(input, extent);
  const tolerance = onsetTolerance(interval, timeError);
  const window = input.incident ?? searchWindow(unhealthy(extent, input), input.alert, interval);
  if (input.incident === undefined && input.alert === undefined) {
    notes.push('No alert or incident window given: the last quarter of the data is analyzed.');
  }
  const onset = findOnset(input, alerting, window, extent, { interval, tolerance });
  if (input.alert !== undefined && alerting.length === 0) {
    notes.push(`No metric of the alerting service ${input.alert.service} was found; the alert time is used as it is.`);
  }
  const start = onset ?? window.from;
  const incident = { from: Math.max(input.incident?.from ?? window.from, start - tolerance), to: window.to };
  const healthyUntil = lastHealthy(input, window, onset, { tolerance, timeError });
  const length = Math.max(window.to - start, 3 * interval);
  return {
    baseline: resolveBaseline(input.baseline, extent, healthyUntil, incident, interval, notes),
    incident,
    before: { from: healthyUntil - length, to: healthyUntil },
    ...(onset === undefined ? {} : { onset }),
    notes,
  };
}

/** The time until which neither the observed onset nor a misjudged alert time can have tainted a sample. */
function lastHealthy(
  { alert }: RankingInput,
  window: TimeWindow,
  onset: number | undefined,
  { tolerance, timeError }: { tolerance: number; timeError: number },
): number {
  if (alert === undefined || onset === undefined) return window.from - tolerance;
  return Math.min(onset - timeError, clamp(alert.at, window) - tolerance);
}

/**
 * The assumed error of the alert's time. A system watched for only a few minutes (just set up, or restarted) leaves no
 * room for the usual one: the healthy time before the alert would be gone.
 */
function alertTimeError({ alert, baseline }: RankingInput, extent: TimeWindow): number {
  if (alert === undefined || baseline !== undefined || alert.at <= extent.from) return ALERT_TIME_ERROR_SECONDS;
  return Math.min(ALERT_TIME_ERROR_SECONDS, (alert.at - extent.from) * MAX_GIVEN_UP);
}

/** The series the alert is about; all of the service's if the alert names no metric or a missing one. */
export function alertingSeries(series: readonly MetricSeries[], alert: Alert | undefined): MetricSeries[] {
  if (alert === undefined) return [];
  const ofService = series.filter((one) => one.service === alert.service);
  const wanted = alert.metric?.toLowerCase();
  if (wanted === undefined) return ofService;
  const named = ofService.filter((one) => one.metric.toLowerCase() === wanted);
  if (named.length > 0) return named;
  const meaning = metricMeaning(wanted);
  const alike = ofService.filter((one) => metricMeaning(one.metric, one.statistic) === meaning);
  return alike.length > 0 ? alike : ofService;
}

function findOnset(
  input: RankingInput,
  alerting: readonly MetricSeries[],
  window: TimeWindow,
  extent: TimeWindow,
  { interval, tolerance }: { interval: number; tolerance: number },
): number | undefined {
  const { alert } = input;
  if (alert === undefined) return undefined;
  const at = clamp(alert.at, window);
  const reference = input.baseline ?? {
    from: extent.from,
    to: Math.min(input.incident?.from ?? Number.POSITIVE_INFINITY, at - tolerance),
  };
  const found: number[] = [];
  for (const series of alerting) {
    const onset = detectOnset(series, { search: window, reference, near: at });
    if (onset !== undefined) found.push(onset);
  }
  if (found.length === 0) return at;
  const onset = Math.round(quantileInPlace(Float64Array.from(found), found.length, 0.5));
  // What deviates when the data begins has no healthy time before it: rates are still rising after a start.
  if (input.baseline === undefined && onset - extent.from < SHORTEST_BASELINE_SAMPLES * interval) return at;
  // An alert does not fire before its cause: a later crossing only says that the symptom grew.
  return Math.min(at, onset);
}

/** The data without the declared healthy period: nothing begins in it. */
function unhealthy({ from, to }: TimeWindow, { alert, baseline }: RankingInput): TimeWindow {
  if (alert === undefined || baseline === undefined) return { from, to };
  if (baseline.to <= alert.at) return { from: Math.max(from, baseline.to), to };
  return baseline.from > alert.at ? { from, to: Math.min(to, baseline.from) } : { from, to };
}

function searchWindow(extent: TimeWindow, alert: Alert | undefined, interval: number): TimeWindow {
  if (alert === undefined) {
    return { from: extent.to - (extent.to - extent.from) / 4, to: extent.to };
  }
  const after = Math.max(DEFAULT_INCIDENT_SECONDS, 3 * interval);
  return { from: extent.from, to: Math.min(extent.to, alert.at + after) };
}

function resolveBaseline(
  given: TimeWindow | undefined,
  extent: TimeWindow,
  healthyUntil: number,
  incident: TimeWindow,
  interval: number,
  notes: string[],
): TimeWindow {
  if (given === undefined) {
    if (healthyUntil - extent.from >= SHORTEST_BASELINE_SAMPLES * interval) {
      return { from: extent.from, to: healthyUntil };
    }
    notes.push('Too little data before the incident for a baseline: all of the data is the baseline.');
    return extent;
  }
  const touches = given.from < healthyUntil && given.to > healthyUntil && given.from < incident.to;
  if (!touches) return given;
  // The last moments before a roughly known onset may already be sick; half of the baseline stays.
  return { from: given.from, to: Math.max(healthyUntil, (given.from + given.to) / 2) };
}

function extentOf(series: readonly MetricSeries[], interval: number): TimeWindow {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const { timestamps } of series) {
    const first = timestamps[0];
    const last = timestamps[timestamps.length - 1];
    if (first !== undefined && first < from) from = first;
    if (last !== undefined && last + interval > to) to = last + interval;
  }
  return from <= to ? { from, to } : { from: 0, to: 0 };
}

function clamp(time: number, window: TimeWindow): number {
  return Math.min(Math.max(time, window.from), window.to);
}
