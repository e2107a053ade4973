import { WEEKDAYS, type QuietHours, type Schedule } from '../plan/schema.ts';
import { clockChange, DAY_MS, MINUTE_MS, offsetOf, WEEK_MS, weekPosition } from './zone.ts';

/** A part of the week by the wall clock: milliseconds since Monday 00:00, `to` excluded. */
interface WeekPart {
  from: number;
  to: number;
}

/** Whether it is quiet from a moment on, and until at least when (`until`: unix milliseconds; Infinity: always). */
interface Stretch {
  isQuiet: boolean;
  until: number;
}

type Quiet = Pick<Schedule, 'quiet_hours' | 'time_zone'>;

const knownParts = new WeakMap<readonly QuietHours[], WeekPart[]>();

/** Quiet hours as parts of the week: sorted, disjoint, none across the end of the week. */
export function quietParts(hours: readonly QuietHours[]): WeekPart[] {
  let known = knownParts.get(hours);
  if (!known) {
    known = merged(hours.flatMap(partsOf));
    knownParts.set(hours, known);
  }
  return known;
}

/**
 * Whether a moment is in quiet hours, which follow the wall clock: an hour that a clock change repeats is quiet both
 * times, one that it skips never comes.
 * @param at unix milliseconds
 */
export function isQuiet({ quiet_hours, time_zone }: Quiet, at: number): boolean {
  if (quiet_hours.length === 0) return false;
  return isWithin(quietParts(quiet_hours), weekPosition(at, offsetOf(time_zone, at)));
}

/** Whether a moment is in quiet hours, and until when: the next change of quiet hours or of clocks. */
export function stretchAt({ quiet_hours, time_zone }: Quiet, at: number): Stretch {
  if (quiet_hours.length === 0) return { isQuiet: false, until: Infinity };
  const quiet = quietParts(quiet_hours);
  if (quiet[0]?.from === 0 && quiet[0].to === WEEK_MS) return { isQuiet: true, until: Infinity };
  const offset = offsetOf(time_zone, at);
  const position = weekPosition(at, offset);
  const isQuiet = isWithin(quiet, position);
  const boundaries = quiet.map(({ from, to }) => (isQuiet ? to : from));
  // Sunday's end is Monday's beginning: the boundary is in the next week.
  const next = boundaries.find((boundary) => boundary > position) ?? boundaries[0]! + WEEK_MS;
  const until = at + next - position;
  const isMoved = offsetOf(time_zone, until) !== offset;
  return { isQuiet, until: isMoved ? clockChange(time_zone, at, until) : until };
}

/** The longest time between quiet hours, milliseconds: 0 if it is always quiet, Infinity if it never is. */
export function longestAwake(hours: readonly QuietHours[]): number {
  const quiet = quietParts(hours);
  if (quiet.length === 0) return Infinity;
  return Math.max(...quiet.map(({ to }, index) => (quiet[index + 1]?.from ?? quiet[0]!.from + WEEK_MS) - to));
}

export const isWithin = (parts: readonly WeekPart[], position: number): boolean =>
  parts.some(({ from, to }) => position >= from && position < to);

function partsOf({ days, from, to }: QuietHours): WeekPart[] {
  const begin = timeOfDay(from);
  const length = ((timeOfDay(to) - begin + DAY_MS - 1) % DAY_MS) + 1;
  return (days ?? WEEKDAYS).flatMap((day) => {
    const start = WEEKDAYS.indexOf(day) * DAY_MS + begin;
    const end = start + length;
    return end <= WEEK_MS
      ? [{ from: start, to: end }]
      : [
          { from: start, to: WEEK_MS },
          { from: 0, to: end - WEEK_MS },
        ];
  });
}

function merged(all: WeekPart[]): WeekPart[] {
  const result: WeekPart[] = [];
  for (const part of all.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last && part.from <= last.to) last.to = Math.max(last.to, part.to);
    else result.push({ ...part });
  }
  return result;
}

function timeOfDay(text: string): number {
  const [hours, minutes] = text.split(':').map(Number);
  return (hours! * 60 + minutes!) * MINUTE_MS;
}
