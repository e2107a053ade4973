import { LRUCache } from 'lru-cache';

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;
export const WEEK_MS = 7 * DAY_MS;
/** 1970-01-01 was a Thursday; weeks begin on Monday. */
const EPOCH_WEEKDAY = 3;

const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 500 });

/**
 * How far a time zone's wall clock is ahead of UTC.
 * @param at unix milliseconds
 * @returns milliseconds
 * @throws {RangeError} for an unknown time zone
 */
export function offsetOf(timeZone: string, at: number): number {
  if (timeZone === 'UTC') return 0;
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
    formats.set(timeZone, format);
  }
  const text = format.format(at);
  const [, sign, hours, minutes, seconds = '0'] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text) ?? [];
  if (sign === undefined) return 0;
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
  return sign === '-' ? -ms : ms;
}

/**
 * The position of the wall clock in its week.
 * @param at unix milliseconds
 * @param offset from {@link offsetOf}
 * @returns milliseconds since Monday 00:00 by the wall clock
 */
export const weekPosition = (at: number, offset: number): number =>
  (((at + offset + EPOCH_WEEKDAY * DAY_MS) % WEEK_MS) + WEEK_MS) % WEEK_MS;

/**
 * The moment of the clock change between two times with different offsets.
 * @returns the first millisecond with the later offset
 */
export function clockChange(timeZone: string, after: number, until: number): number {
  const before = offsetOf(timeZone, after);
  let [low, high] = [after, until];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetOf(timeZone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}
