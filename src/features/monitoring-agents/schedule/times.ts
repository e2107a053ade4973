import { createHash } from 'node:crypto';
import type { Schedule } from '../plan/schema.ts';
import { cronTimes, type CronTimes } from './cron.ts';
import { isQuiet, isWithin, quietParts, stretchAt } from './quiet.ts';
import { DAY_MS, MINUTE_MS, offsetOf, weekPosition } from './zone.ts';

/** A schedule that is silent for longer counts as ended: valid ones fire in every calendar year. */
const HORIZON_MS = 750 * DAY_MS;
/**
 * Maximum quiet hours skipped in one search, and days or stretches examined in one count: enough for more than two
 * years.
 */
const MAX_STEPS = 20_000;

/**
 * The offset of an agent's times within an interval: the same for all its checks of that interval, so that they run
 * together, and consistent with the interval's divisors. A hash spreads agents.
 * @param intervalMs milliseconds
 * @returns milliseconds, less than the interval
 */
export function anchorOf(agentId: string, intervalMs: number): number {
  return createHash('sha256').update(agentId).digest().readUIntBE(0, 6) % intervalMs;
}

/**
 * The first time of a schedule after a moment, outside of quiet hours.
 * @param after unix milliseconds
 * @returns unix milliseconds; null when there is none within two years
 */
export function nextTime(schedule: Schedule, agentId: string, after: number): number | null {
  const rhythm = rhythmOf(schedule, agentId);
  let at = rhythm(after);
  for (let step = 0; at !== null && at - after <= HORIZON_MS && step < MAX_STEPS; step++) {
    const { isQuiet, until } = stretchAt(schedule, at);
    if (!isQuiet) return at;
    at = Number.isFinite(until) ? rhythm(until - 1) : null;
  }
  return null;
}

/**
 * The next times of a schedule, outside of quiet hours.
 * @param after unix milliseconds
 * @param count maximum number of times
 */
export function nextTimes(schedule: Schedule, agentId: string, after: number, count: number): number[] {
  const times: number[] = [];
  let at = nextTime(schedule, agentId, after);
  while (at !== null && times.length < count) {
    times.push(at);
    at = times.length < count ? nextTime(schedule, agentId, at) : null;
  }
  return times;
}

/**
 * The number of times of a schedule in `(after, until]`, outside of quiet hours. Steps by stretches between quiet
 * hours, or by days, never by times; beyond about two years it returns a lower bound.
 */
export function countTimes(schedule: Schedule, agentId: string, after: number, until: number): number {
  if (schedule.cron !== undefined)
    return countCron(schedule, cronTimes(schedule.cron, schedule.time_zone), after, until);
  const interval = intervalOf(schedule);
  const anchor = anchorOf(agentId, interval);
  const passed = (at: number): number => Math.floor((at - anchor) / interval);
  let count = 0;
  // All times are whole milliseconds: those in (at, end] are those from at + 1 on.
  let from = Math.floor(after) + 1;
  for (let step = 0; from <= until && step < MAX_STEPS; step++) {
    const stretch = stretchAt(schedule, from);
    const end = Math.min(stretch.until - 1, Math.floor(until));
    if (!stretch.isQuiet) count += passed(end) - passed(from - 1);
    from = end + 1;
  }
  return count;
}

function countCron(schedule: Schedule, cron: CronTimes, after: number, until: number): number {
  const { time_zone: timeZone } = schedule;
  const quiet = quietParts(schedule.quiet_hours);
  let count = 0;
  let at = cron.next(after);
  for (let step = 0; at !== null && at <= until && step < MAX_STEPS; step++) {
    const offset = offsetOf(timeZone, at);
    const position = weekPosition(at, offset);
    const first = position % DAY_MS;
    const midnight = at + DAY_MS - first;
    if (offsetOf(timeZone, midnight) !== offset || offsetOf(timeZone, at - 1) !== offset) {
      // The clocks change on this day: count one by one.
      if (!isQuiet(schedule, at)) count += 1;
      at = cron.next(at);
      continue;
    }
    for (const minute of cron.minutesOfDay) {
      const later = minute * MINUTE_MS - first;
      if (later >= 0 && at + later <= until && !isWithin(quiet, position + later)) count += 1;
    }
    at = cron.next(midnight - 1);
  }
  return count;
}

/** The first time after a moment, quiet or not. */
function rhythmOf(schedule: Schedule, agentId: string): (after: number) => number | null {
  if (schedule.cron !== undefined) return cronTimes(schedule.cron, schedule.time_zone).next;
  const interval = intervalOf(schedule);
  const anchor = anchorOf(agentId, interval);
  return (after) => (Math.floor((after - anchor) / interval) + 1) * interval + anchor;
}

/** @returns milliseconds */
function intervalOf({ every_seconds: seconds }: Schedule): number {
  if (seconds === undefined) throw new TypeError('A schedule needs every_seconds or cron.');
  return seconds * 1_000;
}
