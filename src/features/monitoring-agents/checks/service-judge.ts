/** Judges the health of services by their latency, errors, saturation and availability. Pure. */
import { harmfulDirection, metricMeaning, quantile, shareScale, type MetricMeaning } from '../../diagnosis/index.ts';
import type { Alert, TimeWindow } from '../../sources/port.ts';
import { furthestFrom, learnedOf, usualsOf, type HistoryNeeds, type Learned } from './baseline.ts';
import { count } from '../../tools/index.ts';
import { at, digits, figure } from './figures.ts';
import type { Observation } from './port.ts';
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
  history: TimeWindow;
  needs: HistoryNeeds;
  /** How many robust standard deviations are unusual. */
  deviations: number;
}

/**
 * Judges the health of one service. A metric is a symptom when at least a third of the window's samples deviate from
 * the history's median by the required number of deviations, and by a relevant amount: the history of a steady service
 * scatters so little that any change is many deviations. Metrics that grow with traffic are compared after the effect
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
        said.length > 0
          ? `${service}: ${said.join('; ')}${more}`
          : `${service}: ${count(present, 'metric is', 'metrics are')} as usual`,
      ...(worst && { value: worst.value, expected: worst.usual }),
    },
  };
}

/** Whether a metric is considered at all. */
function isTelling({ metric, statistic }: CheckedSeries): boolean {
  const meaning = metricMeaning(metric, statistic);
  return meaning === 'traffic' || TELLING.includes(meaning);
}

/** Undefined if the metric is no indicator, or has no sample in the window. */
function symptomOf(series: CheckedSeries, { window, history }: HealthQuestion): Symptom | undefined {
  const meaning = metricMeaning(series.metric, series.statistic);
  if (!TELLING.includes(meaning)) return undefined;
  const values = valuesIn(series, window);
  if (values.length === 0) return undefined;
  const isDown = harmfulDirection(meaning) === 'down';
  const value = quantile(values, isDown ? SUSTAINED : 1 - SUSTAINED);
  const past = valuesIn(series, history);
  const older = valuesIn(series, { from: history.from, to: (history.from + history.to) / 2 }).length;
  const usuals = usualsOf(series, past, older, 'own');
  if (isCount(series, past, values)) {
    // Counts scatter by their square root: the first connection of a pool means nothing.
    for (const one of usuals) one.sigma = Math.max(one.sigma, Math.sqrt(Math.max(1, one.median)));
  }
  const { usual, towards } = furthestFrom(value, usuals, (distance) => (isDown ? -distance : distance));
  return { series, meaning, value, usual: usual.median, deviations: towards };
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
function trafficGone(series: readonly CheckedSeries[], { window, history }: HealthQuestion): string[] | undefined {
  for (const one of ofTraffic(series)) {
    const past = valuesIn(one, history);
    const usual = quantile(past, 0.5);
    // If a quarter of the history is without traffic, so may be the window.
    if (!(quantile(past, 0.25) > usual * NO_TRAFFIC_SHARE)) continue;
    const values = valuesIn(one, window);
    const last = values.slice(-Math.max(2, Math.ceil(values.length * SUSTAINED)));
    if (last.length === 0 || last.some((value) => value > usual * NO_TRAFFIC_SHARE)) continue;
    return [`${one.metric} fell to ${figure(last[last.length - 1]!, one.unit)}, usual is ${figure(usual, one.unit)}`];
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

function describe({ series, value, usual, deviations: distance }: Symptom): string {
  const name = [series.metric, series.statistic].filter(Boolean).join(' ');
  const away = Number.isFinite(distance) ? `, ${digits(distance)} deviations` : '';
  return `${name} is ${figure(value, series.unit)}, usual is ${figure(usual, series.unit)}${away}`;
}
