/** Reads the series in a source's answer, without trusting its form: what is not a number at a time is not a sample. */
import { SourceError, type TimeWindow } from '../../sources/port.ts';
import { lowerBound, quantile } from '../../diagnosis/index.ts';
import { resultPoints } from '../../tools/index.ts';
import { listOf, membersOf } from './ask.ts';
import { stableName } from './figures.ts';

/** Samples in time order; all values are finite. */
export interface CheckedSeries {
  service: string;
  metric: string;
  statistic?: string;
  unit?: string;
  /** For a PromQL answer, sorted by name. */
  labels?: [string, string][];
  timestamps: number[];
  values: number[];
}

export interface ReadSeries {
  series: CheckedSeries[];
  /** Invalid series, and series that hold no valid sample although they should. */
  unreadable: number;
}

/** A check with more series than this is too broad to judge. */
export const MAX_SERIES = 20_000;
/** Enough for a survey of a thousand services. */
const MAX_SAMPLES = 6_000_000;
const MAX_LABELS = 50;
/** No real quantity is larger; the squares of smaller ones are still distinct. */
const LARGEST = 1e100;

/**
 * Reads the series of an answer, metrics and PromQL alike. Drops samples that are missing (NaN, an infinity) or outside
 * the window, sorts the rest by time, and of samples at one time keeps the last. Merges series with the same names.
 * Drops series without samples.
 * @throws {SourceError} when nothing in the answer can be read, or it is more than can be judged
 */
export function readSeries(answer: unknown, window: TimeWindow): ReadSeries {
  const list = listOf(answer, 'series', 2 * MAX_SERIES);
  const found = new Map<string, CheckedSeries>();
  let unreadable = 0;
  let total = 0;
  for (let index = 0; index < list.length; index++) {
    const members = membersOf(list[index]);
    const times: unknown = members?.timestamps;
    const values: unknown = members?.values;
    if (!members || !Array.isArray(times) || !Array.isArray(values)) {
      unreadable++;
      continue;
    }
    total += Math.min(times.length, values.length);
    if (total > MAX_SAMPLES) {
      throw new SourceError(`the source returned more than ${MAX_SAMPLES} samples: narrow the check`);
    }
    const head = headOf(members);
    const key = seriesKey(head);
    const series = found.get(key) ?? { ...head, timestamps: [], values: [] };
    const strange = collect(times, values, window, series);
    if (series.values.length > 0) found.set(key, series);
    else if (strange) unreadable++;
  }
  if (found.size === 0 && unreadable > 0) {
    throw new SourceError(`none of the ${list.length} series from the source can be read`);
  }
  return { series: [...found.values()].map(inOrder), unreadable };
}

/** Identifies a series in every answer of its source. */
export const seriesKey = ({
  service,
  metric,
  statistic,
  labels,
}: Omit<CheckedSeries, 'timestamps' | 'values'>): string => JSON.stringify([service, metric, statistic, labels]);

/** Adds the samples of a window to a series. @returns whether any value was not a sample */
function collect(
  times: readonly unknown[],
  values: readonly unknown[],
  { from, to }: TimeWindow,
  series: CheckedSeries,
): boolean {
  let strange = times.length !== values.length;
  const length = Math.min(times.length, values.length);
  for (let i = 0; i < length; i++) {
    const time = times[i];
    const value = values[i];
    if (isMissing(value)) continue;
    if (typeof time !== 'number' || typeof value !== 'number' || Math.abs(value) > LARGEST) strange = true;
    else if (time >= from && time < to) {
      series.timestamps.push(time);
      series.values.push(value);
    } else strange = true;
  }
  return strange;
}

/** Most series are already in order. */
function inOrder(series: CheckedSeries): CheckedSeries {
  const { timestamps, values } = series;
  if (timestamps.every((time, index) => index === 0 || timestamps[index - 1]! < time)) return series;
  const last = new Map(timestamps.map((time, index) => [time, values[index]!]));
  const sorted = [...last].sort(([a], [b]) => a - b);
  return { ...series, timestamps: sorted.map(([time]) => time), values: sorted.map(([, value]) => value) };
}

/** NaN and infinities mean a missing sample. */
const isMissing = (value: unknown): boolean => typeof value === 'number' && !Number.isFinite(value);

function headOf(members: Record<string, unknown>): Omit<CheckedSeries, 'timestamps' | 'values'> {
  const text = (value: unknown): string => (typeof value === 'string' ? stableName(value) : '');
  const labels = membersOf(members.labels);
  return {
    service: text(members.service),
    metric: text(members.metric),
    ...(text(members.statistic) && { statistic: text(members.statistic) }),
    ...(text(members.unit) && { unit: text(members.unit) }),
    ...(labels && {
      labels: Object.entries(labels)
        .slice(0, MAX_LABELS)
        .map(([name, value]): [string, string] => [stableName(name), text(value)])
        .filter(([, value]) => value !== '')
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    }),
  };
}

/** The values of a window. */
export function valuesIn({ timestamps, values }: CheckedSeries, { from, to }: TimeWindow): number[] {
  return values.slice(lowerBound(timestamps, from), lowerBound(timestamps, to));
}

/** Median seconds between the samples of the series with the most samples; undefined with fewer than two. */
export function intervalOf(series: readonly CheckedSeries[]): number | undefined {
  let longest: readonly number[] = [];
  for (const { timestamps } of series) if (timestamps.length > longest.length) longest = timestamps;
  const gaps = longest.slice(1).map((time, index) => time - longest[index]!);
  return gaps.length > 0 ? quantile(gaps, 0.5) : undefined;
}

/** A series as evidence shows it. */
export function shownSeries({ timestamps, values, ...head }: CheckedSeries, points: number): Record<string, unknown> {
  const { labels, ...names } = head;
  return {
    ...names,
    ...(labels && { labels: Object.fromEntries(labels) }),
    points: resultPoints(timestamps, values, points),
  };
}
