/**
 * What a check with a learned baseline compares its window with. Pure.
 * - The same time on earlier days, if at least {@link MIN_DAYS} of the last {@link DAYS} have enough samples around it.
 *   A value is unusual if at most one of these days was like it: weekends differ from working days, and one bad day
 *   does not make a fault usual.
 * - Otherwise the history before the window.
 * Neither contains a time at which the subject was at fault: while a finding is open, what is usual is what was usual
 * before it began, however long it lasts. A finding that a person closed is no fault: its level becomes usual.
 */
import type { TimeWindow } from '../../sources/port.ts';
import { robustSummary } from '../../diagnosis/index.ts';
import { furthestFrom, usualOf, type Compared } from './baseline.ts';
import { mapConcurrently } from '../../../platform/concurrency.ts';
import { at, duration, stableName } from './figures.ts';
import type { KnownFaults } from './port.ts';
import { readSeries, seriesKey, valuesIn, type CheckedSeries } from './series.ts';

export const DAY_SECONDS = 86_400;
/** Earlier days that are asked for: a week, so that every day of the week is among them. */
const DAYS = 7;
/** With two days, one bad day could not be told from a good one. */
const MIN_DAYS = 3;
/** Samples of a day that count, around the time of the window. */
const MIN_DAY_SAMPLES = 8;
/** Length of the time around the window on an earlier day: what is usual rarely changes within it. */
const AROUND_SECONDS = 3_600;
/** Queries for the history of subjects that are at fault. */
const MAX_PERIODS = 8;

/**
 * A subject's times at fault, which its reference leaves out.
 * @param windowSeconds a fault began somewhere in the window that was the first to show it
 */
export function faultsOf(known: KnownFaults, subject: string, windowSeconds: number): TimeWindow[] {
  return (known.get(stableName(subject)) ?? []).map(({ from, to }) => ({ from: from - windowSeconds, to }));
}

/**
 * The last `seconds` before a window at which a subject was not at fault, the oldest part first; without faults one
 * part, which ends where the window begins.
 */
export function faultlessTime(window: TimeWindow, seconds: number, faults: readonly TimeWindow[]): TimeWindow[] {
  const parts: TimeWindow[] = [];
  let end = window.from;
  let left = seconds;
  for (const fault of faults.toSorted((a, b) => b.to - a.to)) {
    if (fault.from >= end) continue;
    if (end - fault.to >= left) break;
    if (fault.to < end) {
      parts.push({ from: fault.to, to: end });
      left -= end - fault.to;
    }
    end = fault.from;
  }
  return [...parts, { from: end - left, to: end }].toReversed();
}

/** The period of a subject's history; its times at fault lie within it or after it. */
export function historyOf(window: TimeWindow, seconds: number, faults: readonly TimeWindow[]): TimeWindow {
  const parts = faultlessTime(window, seconds, faults);
  return { from: parts[0]!.from, to: parts.at(-1)!.to };
}

/** A series without the samples of its faults before the window. */
export function withoutFaults(
  series: CheckedSeries,
  { from }: TimeWindow,
  faults: readonly TimeWindow[],
): CheckedSeries {
  if (faults.length === 0) return series;
  const isKept = (time: number): boolean => time >= from || !faults.some((one) => time >= one.from && time < one.to);
  const kept = series.timestamps.flatMap((time, index) => (isKept(time) ? [index] : []));
  return {
    ...series,
    timestamps: kept.map((index) => series.timestamps[index]!),
    values: kept.map((index) => series.values[index]!),
  };
}

/**
 * The periods that the subjects' histories need besides the one directly before the window: few, the newest if there
 * are many.
 */
export function earlierPeriods(
  window: TimeWindow,
  seconds: number,
  known: readonly (readonly TimeWindow[])[],
): TimeWindow[] {
  const start = window.from - seconds;
  const needed = known
    .flatMap((faults) => faultlessTime(window, seconds, faults))
    .filter(({ from }) => from < start)
    .map(({ from, to }) => ({ from, to: Math.min(to, start) }))
    .sort((a, b) => a.from - b.from);
  const periods: TimeWindow[] = [];
  for (const one of needed) {
    const last = periods.at(-1);
    if (last && one.from <= last.to) last.to = Math.max(last.to, one.to);
    else periods.push({ ...one });
  }
  return periods.slice(-MAX_PERIODS);
}

/** The time around the window on each of the earlier days, the latest day first. Days have 24 hours. */
export function earlierDays(window: TimeWindow): TimeWindow[] {
  const length = window.to - window.from;
  const margin = Math.max(length, (AROUND_SECONDS - length) / 2);
  return Array.from({ length: DAYS }, (_, index) => {
    const ago = (index + 1) * DAY_SECONDS;
    // Never into the window itself.
    return { from: window.from - ago - margin, to: Math.min(window.to - ago + margin, window.from) };
  });
}

/** How far back findings matter to a check. */
export const faultsSince = (window: TimeWindow, historySeconds: number): number =>
  window.from - historySeconds - (DAYS + 1) * DAY_SECONDS;

/** Concurrent queries for earlier days. */
const WIDTH = 3;

/**
 * The series of earlier days, by key. A source that does not answer for a day has none of it.
 * @param put queries one day
 */
export async function readDays(
  window: TimeWindow,
  put: (day: TimeWindow) => Promise<unknown>,
  signal: AbortSignal,
): Promise<Map<string, CheckedSeries>> {
  const found = new Map<string, CheckedSeries>();
  const days = await mapConcurrently(earlierDays(window), WIDTH, async (day) => {
    try {
      return readSeries(await put(day), day).series;
    } catch {
      signal.throwIfAborted();
      return [];
    }
  });
  // The oldest first, so that samples stay in order.
  for (const series of days.toReversed().flat()) {
    const known = found.get(seriesKey(series));
    if (!known) found.set(seriesKey(series), series);
    else {
      for (const time of series.timestamps) known.timestamps.push(time);
      for (const value of series.values) known.values.push(value);
    }
  }
  return found;
}

/** A series' values around the same time on each earlier day that has enough of them. */
export function daysOf(
  earlier: CheckedSeries | undefined,
  window: TimeWindow,
  faults: readonly TimeWindow[],
): number[][] {
  if (!earlier) return [];
  const healthy = withoutFaults(earlier, window, faults);
  const days = earlierDays(window)
    .map((day) => valuesIn(healthy, day))
    .filter((values) => values.length >= MIN_DAY_SAMPLES);
  return days.length >= MIN_DAYS ? days : [];
}

/**
 * Compares a value with the levels reached around the same time on earlier days: with the day after the one that is most
 * like it. Around, because what happens daily does not happen on the second.
 * @param days for each day, at least {@link MIN_DAYS} of them, the levels that `value` could be: of stretches as long
 *   as its own
 * @param towards how unusual a deviation is, in the direction that counts
 * @param least the smallest scatter around a level
 */
export function comparedWithDays(
  series: CheckedSeries,
  value: number,
  days: readonly (readonly number[])[],
  towards: (deviations: number) => number,
  least: (level: number) => number = () => 0,
): Compared {
  const medians = days.map((levels) => robustSummary(levels).median);
  // One scatter for all days: that of a few samples is a guess.
  const { sigma } = robustSummary(days.flatMap((levels, index) => levels.map((one) => one - medians[index]!)));
  const compared = days.map((levels, index) => {
    const [low, high] = [levels.reduce((a, b) => Math.min(a, b)), levels.reduce((a, b) => Math.max(a, b))];
    const nearest = Math.min(Math.max(value, low), high);
    const usual = usualOf(series, nearest, Math.max(sigma, least(nearest)));
    if (nearest !== value) return furthestFrom(value, [usual], towards);
    return { usual: { ...usual, median: medians[index]! }, deviations: 0, towards: 0 };
  });
  return compared.toSorted((a, b) => a.towards - b.towards)[1]!;
}

/** The means of all stretches of a number of samples. */
export function stretchMeans(values: readonly number[], length: number): number[] {
  const size = Math.max(1, Math.min(length, values.length));
  let sum = values.slice(0, size).reduce((total, value) => total + value, 0);
  return Array.from({ length: values.length - size + 1 }, (_, index) => {
    if (index > 0) sum += values[index + size - 1]! - values[index - 1]!;
    return sum / size;
  });
}

/** What a value was compared with, for evidence. */
export function describeReference(days: number, history: TimeWindow, window: TimeWindow): string {
  if (days > 0) return `the same time on ${days} earlier days`;
  const length = duration(history.to - history.from);
  return history.to < window.from
    ? `${length} until ${at(history.to)}, before the ongoing fault`
    : `the previous ${length}`;
}

/** How an observation names it. */
export function usualWords(days: number, history: TimeWindow, window: TimeWindow): string {
  if (days > 0) return 'normal at this time:';
  return history.to < window.from ? `normal before ${at(history.to)}:` : 'normal:';
}
