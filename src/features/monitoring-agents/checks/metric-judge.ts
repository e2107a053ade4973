/** Judges the series of a metric check. Pure. */
import { quantile } from '../../diagnosis/index.ts';
import type { TimeWindow } from '../../sources/port.ts';
import type { SubjectOf } from '../plan/schema.ts';
import { furthestFrom, learnedOf, usualsOf, type HistoryNeeds, type Learned } from './baseline.ts';
import { compare, inWords } from './compare.ts';
import { digits, duration, figure } from './figures.ts';
import type { Observation } from './port.ts';
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
    },
    closeness: (isFinding ? 1 : -1) * Math.abs(value - limit),
  };
}

/** Compares the window's value with what is usual in the history before it. */
export function judgeBaseline(
  series: CheckedSeries,
  subject: MetricSubject,
  condition: ConditionOf<'baseline'>,
  windows: { window: TimeWindow; history: TimeWindow; needs: HistoryNeeds },
): SeriesVerdict {
  const past = valuesIn(series, windows.history);
  const first = past.length > 0 ? series.timestamps[0] : undefined;
  const learned = learnedOf(past.length, first, windows.needs, windows.history);
  const values = valuesIn(series, windows.window);
  if (values.length === 0) return { kind: 'no_data' };
  if (past.length < learned.needed) return { kind: 'learning', learned };
  const value = aggregateOf(values, subject.aggregate);
  const { from, to } = windows.history;
  const older = valuesIn(series, { from, to: (from + to) / 2 }).length;
  const usuals = usualsOf(series, alike(past, subject.aggregate, values.length), older, 'whole');
  const { direction, deviations: limit, least_change: least } = condition;
  const sign = direction === 'above' ? 1 : -1;
  const far = furthestFrom(value, usuals, (distance) => (direction === 'both' ? Math.abs(distance) : sign * distance));
  const { median } = far.usual;
  const isFinding = far.towards >= limit && Math.abs(value - median) >= least;
  return {
    kind: 'judged',
    observation: {
      ...subjectOf(series, subject),
      isFinding,
      text: `${described(series, subject, value)}, usual is ${figure(median, series.unit)}${away(far.deviations)}`,
      value,
      expected: median,
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

/** `, 12 deviations above`. */
function away(distance: number): string {
  if (distance === 0) return '';
  const side = distance > 0 ? 'above' : 'below';
  return Number.isFinite(distance) ? ` (${digits(Math.abs(distance))} deviations ${side})` : ' without exception';
}

function described(series: CheckedSeries, subject: MetricSubject, value: number): string {
  const what = subject.promql === undefined ? [subject.metric, series.statistic].filter(Boolean).join(' ') : 'value';
  const whose = subject.promql === undefined ? series.service : labelText(series);
  const how = subject.aggregate === 'last' ? 'last' : `${subject.aggregate} of ${duration(subject.window_seconds)}`;
  return `${what}${whose ? ` of ${whose}` : ''} is ${figure(value, series.unit)} (${how})`;
}

function subjectOf(series: CheckedSeries, subject: MetricSubject): Pick<Observation, 'subject' | 'service'> {
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
