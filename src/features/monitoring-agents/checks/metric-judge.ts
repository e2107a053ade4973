/** Judges the series of a metric check. Pure. */
import { quantile } from '../../diagnosis/index.ts';
import type { TimeWindow } from '../../sources/port.ts';
import type { SubjectOf } from '../plan/schema.ts';
import { furthestFrom, learnedOf, usualsOf, type HistoryNeeds, type Learned } from './baseline.ts';
import { compare, inWords } from './compare.ts';
import { digits, duration, figure } from './figures.ts';
import type { Observation } from './port.ts';
import { comparedWithDays, stretchMeans, usualWords } from './reference.ts';
import { valuesIn, type CheckedSeries } from './series.ts';

type MetricSubject = SubjectOf<'metric'>;
type Aggregate = MetricSubject['aggregate'];
type ConditionOf<T extends MetricSubject['condition']['type']> = Extract<MetricSubject['condition'], { type: T }>;

export type SeriesVerdict =
  | { kind: 'judged'; observation: Observation; closeness: number }
  | { kind: 'learning'; learned: Learned }
  | { kind: 'no_data' };

/** Aggregates the values of a window, which are in time order and not empty. */
export function aggregateOf(values: readonly number[], aggregate: Aggregate): number {
  switch (aggregate) {
    case 'last':
      return values[values.length - 1]!;
    case 'mean':
      return meanOf(values);
    case 'median':
      return quantile(values, 0.5);
    case 'max':
      return values.reduce((a, b) => Math.max(a, b));
    default:
      return values.reduce((a, b) => Math.min(a, b));
  }
}

/** Clamped to the values: rounding makes the mean of ten ones slightly less than 1, which `up < 1` would match. */
function meanOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value / values.length, 0);
  return Math.max(aggregateOf(values, 'min'), Math.min(mean, aggregateOf(values, 'max')));
}

/** Compares the window's value with a number. */
export function judgeThreshold(
  series: CheckedSeries,
  subject: MetricSubject,
  { operator, value: limit }: ConditionOf<'threshold'>,
  window: TimeWindow,
): SeriesVerdict {
  const values = valuesIn(series, window);
  if (values.length === 0) return { kind: 'no_data' };
  const value = aggregateOf(values, subject.aggregate);
  const isFinding = compare(value, operator, limit);
  const said = isFinding
    ? `which is ${inWords[operator]} ${figure(limit, series.unit)}`
    : `limit ${operator} ${figure(limit, series.unit)}`;
  return {
    kind: 'judged',
    observation: {
      ...subjectOf(series, subject),
      isFinding,
      text: `${described(series, subject, value)}, ${said}`,
      value,
      expected: limit,
      unit: series.unit,
    },
    closeness: (isFinding ? 1 : -1) * Math.abs(value - limit),
  };
}

/** What is known of a series besides its samples in the window and in the history. */
export interface SeriesPast {
  /** Its history; the series has no sample of a fault in it. */
  history: TimeWindow;
  /** Its values at the same time on earlier days; empty if there are too few. */
  days: readonly (readonly number[])[];
}

/** Compares the window's value with what is usual at this time of day, or in the history before it. */
export function judgeBaseline(
  series: CheckedSeries,
  subject: MetricSubject,
  condition: ConditionOf<'baseline'>,
  { window, needs, past: { history, days } }: { window: TimeWindow; needs: HistoryNeeds; past: SeriesPast },
): SeriesVerdict {
  const past = valuesIn(series, history);
  const first = past.length > 0 ? series.timestamps[0] : undefined;
  const learned = learnedOf(past.length, first, needs, history);
  const values = valuesIn(series, window);
  if (values.length === 0) return { kind: 'no_data' };
  if (days.length === 0 && past.length < learned.needed) return { kind: 'learning', learned };
  const { aggregate } = subject;
  const value = aggregateOf(values, aggregate);
  const { direction, deviations: limit, least_change: least } = condition;
  const sign = direction === 'above' ? 1 : -1;
  const towards = (distance: number): number => (direction === 'both' ? Math.abs(distance) : sign * distance);
  const isExtreme = aggregate === 'max' || aggregate === 'min';
  const levels = (day: readonly number[]): readonly number[] =>
    isExtreme ? alike(day, aggregate, values.length) : stretchMeans(day, aggregate === 'last' ? 1 : values.length);
  const older = (): number => valuesIn(series, { from: history.from, to: (history.from + history.to) / 2 }).length;
  const far =
    days.length > 0
      ? comparedWithDays(series, value, days.map(levels), towards)
      : furthestFrom(value, usualsOf(series, alike(past, aggregate, values.length), older(), 'whole'), towards);
  const { median } = far.usual;
  const isFinding = far.towards >= limit && Math.abs(value - median) >= least;
  const usual = `${usualWords(days.length, history, window)} ${figure(median, series.unit)}`;
  return {
    kind: 'judged',
    observation: {
      ...subjectOf(series, subject),
      isFinding,
      text: `${described(series, subject, value)}, ${usual}${away(far.deviations)}`,
      value,
      expected: median,
      unit: series.unit,
    },
    closeness: far.towards,
  };
}

/**
 * The history in the form the window is compared with. The largest of many samples is not an unusual sample, so `max`
 * and `min` use the extremes of stretches with as many samples as the window. Other aggregations use the samples
 * themselves, whose scatter is at least that of their means.
 */
function alike(past: readonly number[], aggregate: Aggregate, length: number): readonly number[] {
  if ((aggregate !== 'max' && aggregate !== 'min') || length < 2) return past;
  const better = aggregate === 'max' ? (a: number, b: number) => a >= b : (a: number, b: number) => a <= b;
  // A sample can become a stretch's extreme only if no later sample exceeds it: candidates wait in order.
  const waiting: number[] = [];
  let head = 0;
  const extremes: number[] = [];
  for (let i = 0; i < past.length; i++) {
    while (waiting.length > head && better(past[i]!, past[waiting[waiting.length - 1]!]!)) waiting.pop();
    waiting.push(i);
    if (waiting[head]! <= i - length) head++;
    if (i >= Math.min(length, past.length) - 1) extremes.push(past[waiting[head]!]!);
  }
  return extremes;
}

/** ` (12σ above)` */
function away(distance: number): string {
  if (distance === 0) return '';
  const side = distance > 0 ? 'above' : 'below';
  return Number.isFinite(distance) ? ` (${digits(Math.abs(distance))}σ ${side})` : ' (constant)';
}

function described(series: CheckedSeries, subject: MetricSubject, value: number): string {
  const what = subject.promql === undefined ? [subject.metric, series.statistic].filter(Boolean).join(' ') : 'value';
  const whose = subject.promql === undefined ? series.service : labelText(series);
  const how = subject.aggregate === 'last' ? 'last' : `${subject.aggregate} of ${duration(subject.window_seconds)}`;
  return `${what}${whose ? ` of ${whose}` : ''} is ${figure(value, series.unit)} (${how})`;
}

/** Which observation a series belongs to. */
export function subjectOf(series: CheckedSeries, subject: MetricSubject): Pick<Observation, 'subject' | 'service'> {
  if (subject.promql !== undefined) {
    const service = serviceLabels.map((name) => series.labels?.find(([label]) => label === name)?.[1]).find(Boolean);
    return { subject: labelText(series) || 'value', ...(service && { service }) };
  }
  const named = [series.service, subject.statistic === undefined ? series.statistic : undefined].filter(Boolean);
  return { subject: named.join(' ') || 'value', ...(series.service && { service: series.service }) };
}

/** Labels that name a service, most telling first. */
const serviceLabels = ['service', 'service_name', 'app', 'destination_workload', 'server', 'container', 'job'];

const labelText = ({ labels = [] }: CheckedSeries): string =>
  labels
    .filter(([name]) => name !== '__name__')
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
