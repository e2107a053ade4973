/** Judges the health of services by their latency, errors, saturation and availability. Pure. */
import { harmfulDirection, metricMeaning, quantile, shareScale, type MetricMeaning } from '../../diagnosis/index.ts';
import type { Alert, TimeWindow } from '../../sources/port.ts';
import { furthestFrom, learnedOf, usualsOf, type HistoryNeeds, type Learned, type Usual } from './baseline.ts';
import { count } from '../../tools/index.ts';
import { at, digits, figure } from './figures.ts';
import type { Observation } from './port.ts';
import { comparedWithDays, describeReference, earlierDays, stretchMeans, usualWords } from './reference.ts';
import { valuesIn, type CheckedSeries } from './series.ts';

/** The metrics that decide a service's health. More or fewer requests are no symptom; none at all are. */
const TELLING: readonly MetricMeaning[] = ['latency', 'errors', 'saturation', 'headroom', 'availability'];
/** Share of the window's samples that must be at least this bad: a single spike is no symptom. */
const SUSTAINED = 1 / 3;
/** The smallest relevant change for each meaning: a change must matter as well as be unusual. */
const SLOWER = 1.5;
const MORE_FAILED_SHARE = 0.01;
const MORE_FAILED_EVENTS = 5;
const SATURATED_SHARE = 0.8;
const MORE_THROTTLED_SHARE = 0.1;
const MORE_USED = 2;
const LESS_AVAILABLE_SHARE = 0.01;
/** Share of the usual traffic below which only probes remain. */
const NO_TRAFFIC_SHARE = 0.02;

/** One metric of one service, compared with its history. */
interface Symptom {
  series: CheckedSeries;
  meaning: MetricMeaning;
  value: number;
  usual: number;
  /** Robust standard deviations in the harmful direction. */
  deviations: number;
  /** What the usual value is, for the observation and for evidence. */
  usualIs: string;
  comparedWith: string;
}

export interface ServiceVerdict {
  service: string;
  /** Absent if it cannot be judged. */
  observation?: Observation;
  /** Present while every one of its metrics has too little history. */
  learned?: Learned;
  /** The series that decided, worst first. */
  symptoms: Symptom[];
}

interface HealthQuestion {
  window: TimeWindow;
  /** Its series have no sample of a fault in it. */
  history: TimeWindow;
  /** A series' values at the same time on earlier days; empty if there are too few. By default none are known. */
  daysOf?: (series: CheckedSeries) => readonly (readonly number[])[];
  needs: HistoryNeeds;
  /** How many robust standard deviations are unusual. */
  deviations: number;
}

/**
 * Judges the health of one service. A metric is a symptom when at least a third of the window's samples deviate from
 * what is usual (see reference.ts) by the required number of deviations, and by a relevant amount: the history of a
 * steady service scatters so little that any change is many deviations. Metrics that grow with traffic are compared after the effect
 * of traffic is removed. A service whose traffic has ended, that no longer reports anything, or for which an alert
 * fires is unhealthy too.
 */
export function judgeService(
  service: string,
  series: readonly CheckedSeries[],
  alerts: readonly Alert[],
  question: HealthQuestion,
): ServiceVerdict {
  const learned = series.map((one) => {
    const past = valuesIn(one, question.history).length;
    return learnedOf(past, past > 0 ? one.timestamps[0] : undefined, question.needs, question.history);
  });
  const known = series.filter((_, index) => learned[index]!.samples >= question.needs.samples);
  const furthest = learned.toSorted((a, b) => b.samples - a.samples)[0];
  const alert = alerts[0];
  if (known.length === 0 && !alert) return { service, symptoms: [], ...(furthest && { learned: furthest }) };

  const growth = trafficGrowth(known, question);
  const symptoms = known
    .flatMap((one) => symptomOf(one, question) ?? [])
    .filter((symptom) => symptom.deviations >= question.deviations && matters(symptom, question, growth))
    .sort((a, b) => b.deviations - a.deviations || (a.series.metric < b.series.metric ? -1 : 1));
  const said = [
    ...(alert ? [`${alert.name} fires since ${at(alert.at)}: ${alert.summary}`] : []),
    ...(silent(known, question) ?? trafficGone(known, question) ?? []),
    ...(symptoms[0] ? [describe(symptoms[0])] : []),
  ];
  const present = known.filter((one) => isTelling(one) && valuesIn(one, question.window).length > 0).length;
  if (said.length === 0 && present === 0) return { service, symptoms };
  const worst = symptoms[0];
  const more = symptoms.length > 1 ? ` (and ${symptoms.length - 1} more)` : '';
  return {
    service,
    symptoms,
    observation: {
      subject: service,
      service,
      isFinding: said.length > 0,
      text:
        said.length > 0 ? `${service}: ${said.join('; ')}${more}` : `${service}: ${count(present, 'metric')} normal`,
      ...(worst && { value: worst.value, expected: worst.usual, unit: worst.series.unit }),
    },
  };
}

/** Whether a metric is considered at all. */
function isTelling({ metric, statistic }: CheckedSeries): boolean {
  const meaning = metricMeaning(metric, statistic);
  return meaning === 'traffic' || TELLING.includes(meaning);
}

/** Undefined if the metric is no indicator, or has no sample in the window. */
function symptomOf(series: CheckedSeries, question: HealthQuestion): Symptom | undefined {
  const { window, history } = question;
  const meaning = metricMeaning(series.metric, series.statistic);
  if (!TELLING.includes(meaning)) return undefined;
  const values = valuesIn(series, window);
  if (values.length === 0) return undefined;
  const isDown = harmfulDirection(meaning) === 'down';
  const value = quantile(values, isDown ? SUSTAINED : 1 - SUSTAINED);
  const towards = (distance: number): number => (isDown ? -distance : distance);
  const days = question.daysOf?.(series) ?? [];
  const past = days.length > 0 ? days.flat() : valuesIn(series, history);
  // Counts scatter by their square root: the first connection of a pool means nothing.
  const least = isCount(series, past, values) ? (median: number) => Math.sqrt(Math.max(1, median)) : () => 0;
  const compared =
    days.length > 0
      ? comparedWithDays(series, value, days.map(levelsOf(window)), towards, least)
      : furthestFrom(value, usualsIn(series, past, history, least), towards);
  return {
    series,
    meaning,
    value,
    usual: compared.usual.median,
    deviations: compared.towards,
    usualIs: usualWords(days.length, history, window),
    comparedWith: describeReference(days.length, history, window),
  };
}

/** The levels of an earlier day that lasted as long as a symptom must. */
const levelsOf = (window: TimeWindow) => {
  const [day] = earlierDays(window);
  const share = ((window.to - window.from) * SUSTAINED) / (day!.to - day!.from);
  return (values: readonly number[]): number[] => stretchMeans(values, Math.round(values.length * share));
};

function usualsIn(
  series: CheckedSeries,
  past: readonly number[],
  { from, to }: TimeWindow,
  least: (median: number) => number,
): [Usual, ...Usual[]] {
  const older = valuesIn(series, { from, to: (from + to) / 2 }).length;
  const usuals = usualsOf(series, past, older, 'own');
  for (const one of usuals) one.sigma = Math.max(one.sigma, least(one.median));
  return usuals;
}

function isCount(
  { metric, statistic, unit = '' }: CheckedSeries,
  past: readonly number[],
  now: readonly number[],
): boolean {
  const meaning = metricMeaning(metric, statistic);
  if ((meaning !== 'errors' && meaning !== 'saturation') || unit.endsWith('/s') || shareScale(unit) !== undefined)
    return false;
  return past.every(Number.isInteger) && now.every(Number.isInteger);
}

function matters({ series, meaning, value, usual }: Symptom, { window }: HealthQuestion, growth: number): boolean {
  const share = shareScale(series.unit);
  switch (meaning) {
    case 'latency':
      return value >= usual * SLOWER;
    case 'errors':
      if (share !== undefined) return value - usual >= share * MORE_FAILED_SHARE;
      if (series.unit?.endsWith('/s')) return (value - usual) * (window.to - window.from) >= MORE_FAILED_EVENTS;
      return value >= usual * MORE_USED;
    case 'saturation':
      if (/throttl/i.test(series.metric)) return share === undefined || value - usual >= share * MORE_THROTTLED_SHARE;
      return share === undefined ? value >= usual * MORE_USED * growth : value >= share * SATURATED_SHARE;
    case 'headroom':
      return share === undefined ? value <= usual / MORE_USED : value <= share * (1 - SATURATED_SHARE);
    case 'availability':
      return share === undefined || usual - value >= share * LESS_AVAILABLE_SHARE;
    default:
      return true;
  }
}

/** Traffic as a multiple of the usual, at least 1. */
function trafficGrowth(series: readonly CheckedSeries[], { window, history }: HealthQuestion): number {
  const factors = ofTraffic(series).map((one) => {
    const usual = quantile(valuesIn(one, history), 0.5);
    return usual > 0 ? quantile(valuesIn(one, window), 1 - SUSTAINED) / usual : 1;
  });
  return factors.reduce((most, factor) => (factor > most ? factor : most), 1);
}

/** A service with continuous traffic has none at the end of the window. */
function trafficGone(series: readonly CheckedSeries[], question: HealthQuestion): string[] | undefined {
  const { window, history } = question;
  for (const one of ofTraffic(series)) {
    // All earlier days together: if a quarter of them had no traffic at this time, today may have none either.
    const days = question.daysOf?.(one) ?? [];
    const past = days.length > 0 ? days.flat() : valuesIn(one, history);
    const usual = quantile(past, 0.5);
    // If a quarter of the history is without traffic, so may be the window.
    if (!(quantile(past, 0.25) > usual * NO_TRAFFIC_SHARE)) continue;
    const values = valuesIn(one, window);
    const last = values.slice(-Math.max(2, Math.ceil(values.length * SUSTAINED)));
    if (last.length === 0 || last.some((value) => value > usual * NO_TRAFFIC_SHARE)) continue;
    return [`${one.metric} fell to ${figure(last[last.length - 1]!, one.unit)}, normal: ${figure(usual, one.unit)}`];
  }
  return undefined;
}

/** It reported continuously, and nothing in the window. */
function silent(series: readonly CheckedSeries[], { window, history }: HealthQuestion): string[] | undefined {
  if (series.length === 0 || series.some((one) => valuesIn(one, window).length > 0)) return undefined;
  const last = Math.max(...series.map(({ timestamps }) => timestamps[timestamps.length - 1] ?? history.from));
  return [`reports none of its ${series.length} metrics since ${at(last)}`];
}

function ofTraffic(series: readonly CheckedSeries[]): CheckedSeries[] {
  return series.filter(({ metric, statistic }) => metricMeaning(metric, statistic) === 'traffic');
}

function describe({ series, value, usual, deviations: distance, usualIs }: Symptom): string {
  const name = [series.metric, series.statistic].filter(Boolean).join(' ');
  const away = Number.isFinite(distance) ? `, ${digits(distance)}σ` : '';
  return `${name} is ${figure(value, series.unit)}, ${usualIs} ${figure(usual, series.unit)}${away}`;
}
