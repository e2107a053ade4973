import { Cron, CronPattern } from 'croner';
import { LRUCache } from 'lru-cache';

/** A cron expression in a time zone. */
export interface CronTimes {
  /**
   * The first time after a moment; both unix milliseconds.
   * @returns null if none is in sight
   */
  next(after: number): number | null;
  /** The times of a day at which it can fire, minutes since midnight, in order. */
  minutesOfDay: readonly number[];
  /** The days of the week on which it can fire, 0 is Monday. */
  weekdays: readonly number[];
}

const known = new LRUCache<string, CronTimes>({ max: 2_000 });

/**
 * Reads a cron expression of five fields (minute, hour, day of month, month, day of week).
 * When clocks change:
 * - An expression with every hour (`*` as hour) follows real time: it fires in both passes of a repeated hour, and
 *   skips times that the clocks skip, since the same minute comes an hour later.
 * - Any other names times of the day, and each happens once a day: in a repeated hour only the first time; times that
 *   the clocks skip all fire together, once, at the moment of the jump.
 * That is the rule of Vixie cron, except for steps: every second hour, or every five minutes of one hour, also names
 * times of the day, and so is not skipped on one day of the year.
 * @throws {TypeError | RangeError} saying what is wrong with it
 */
export function cronTimes(expression: string, timeZone: string): CronTimes {
  const key = `${timeZone} ${expression}`;
  let times = known.get(key);
  if (!times) {
    times = read(expression, timeZone);
    known.set(key, times);
  }
  return times;
}

/** What is wrong with a cron expression, in words; undefined for a valid one. */
export function cronProblem(expression: string, timeZone: string): string | undefined {
  const fields = fieldsOf(expression).length;
  const wanted = 'Value should be a cron expression of five fields: minute, hour, day of month, month, day of week';
  if (fields !== 5) return `${wanted}; it has ${fields === 1 ? '1 field' : `${fields} fields`}`;
  try {
    cronTimes(expression, timeZone);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : '';
    return `${wanted}. ${reason}`;
  }
}

export const fieldsOf = (expression: string): string[] => expression.trim().split(/\s+/);

function read(expression: string, timeZone: string): CronTimes {
  const fields = fieldsOf(expression);
  // The library also accepts names such as @daily, and dates.
  if (fields.length !== 5) throw new TypeError('A cron expression has five fields.');
  const pattern = new CronPattern(fields.join(' '), timeZone, { mode: '5-part' });
  const minutes = chosen(pattern.minute);
  const hours = chosen(pattern.hour);
  // Steps are written out as lists, because the library recognises times of the day by their notation.
  const hour = hours.length === 24 ? '*' : hours.join(',');
  const cron = new Cron([minutes.join(','), hour, ...fields.slice(2)].join(' '), {
    timezone: timeZone,
    mode: '5-part',
    fixedTimeRule: 'no-wildcard',
    paused: true,
  });
  const weekdays = chosen(pattern.dayOfWeek).map((day) => (day + 6) % 7);
  const isAnyDay = weekdays.length === 0 || (!pattern.starDOM && !pattern.useAndLogic);
  return {
    next: (after) => cron.nextRun(new Date(after))?.getTime() ?? null,
    minutesOfDay: hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute)),
    weekdays: isAnyDay ? [0, 1, 2, 3, 4, 5, 6] : weekdays,
  };
}

const chosen = (field: readonly number[]): number[] => [...field.keys()].filter((value) => (field[value] ?? 0) > 0);
