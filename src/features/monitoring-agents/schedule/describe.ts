import { WEEKDAYS, type QuietHours, type Schedule } from '../plan/schema.ts';
import { fieldsOf } from './cron.ts';

const DAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const UNITS = [
  { seconds: 86_400, name: 'day' },
  { seconds: 3_600, name: 'hour' },
  { seconds: 60, name: 'minute' },
] as const;

/** A schedule in words, for example "at 09:00 on weekdays (Europe/Berlin), not 22:00-06:00". */
export function describeSchedule({ every_seconds, cron, time_zone, quiet_hours }: Schedule): string {
  const rhythm = cron === undefined ? `every ${describePeriod(every_seconds ?? 0)}` : describeCron(cron);
  const quiet = quiet_hours.map(describeQuietHours);
  const zone = cron !== undefined || quiet.length > 0 ? ` (${time_zone})` : '';
  return `${rhythm}${zone}${quiet.length > 0 ? `, not ${quiet.join(' or ')}` : ''}`;
}

/** "5 minutes", "90 seconds", "1 hour". */
export function describeDuration(seconds: number): string {
  const unit = UNITS.find((unit) => seconds >= unit.seconds && seconds % unit.seconds === 0);
  return counted(seconds / (unit?.seconds ?? 1), unit?.name ?? 'second');
}

/** As in "every minute", "every 5 minutes". */
const describePeriod = (seconds: number): string => describeDuration(seconds).replace(/^1 /, '');

const counted = (count: number, name: string): string => `${count} ${name}${count === 1 ? '' : 's'}`;

function describeQuietHours({ days, from, to }: QuietHours): string {
  const isEveryDay = days === undefined || WEEKDAYS.every((day) => days.includes(day));
  const on = isEveryDay ? '' : ` ${onDays(new Set(days.map((day) => (WEEKDAYS.indexOf(day) + 1) % 7)))}`;
  return `${from}-${to}${on}`;
}

/** Common forms in words; any other is quoted verbatim. */
function describeCron(cron: string): string {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fieldsOf(cron);
  const time = describeTime(minute, hour);
  const date = month === '*' ? describeDate(day, weekday) : undefined;
  return time === undefined || date === undefined ? `at the times of cron "${fieldsOf(cron).join(' ')}"` : time + date;
}

function describeTime(minute: string, hour: string): string | undefined {
  const minutes = numbers(minute);
  const hours = numbers(hour);
  if (minutes && hours && minutes.length * hours.length <= 6) {
    return `at ${joined(hours.flatMap((h) => minutes.map((m) => `${padded(h)}:${padded(m)}`)))}`;
  }
  if (hour === '*') {
    const step = stepOf(minute, 60);
    if (step !== undefined) return `every ${step === 1 ? 'minute' : `${step} minutes`}`;
    if (minutes)
      return minutes.join() === '0' ? 'every hour' : `at minute ${joined(minutes.map(String))} of every hour`;
  }
  const step = stepOf(hour, 24);
  if (minutes?.join() === '0' && step !== undefined) return `every ${step === 1 ? 'hour' : `${step} hours`}`;
  return undefined;
}

function describeDate(day: string, weekday: string): string | undefined {
  if (day === '*' && weekday === '*') return '';
  if (day === '*') {
    const days = weekdaysOf(weekday);
    return days && ` ${onDays(days)}`;
  }
  const days = weekday === '*' ? numbers(day) : undefined;
  return days && ` on day ${joined(days.map(String))} of the month`;
}

/** @param days 0 is Sunday */
function onDays(days: ReadonlySet<number>): string {
  const key = [...days].toSorted((a, b) => a - b).join('');
  if (key === '12345') return 'on weekdays';
  if (key === '06') return 'on weekends';
  if (key === '0123456') return 'every day';
  const mondayFirst = [1, 2, 3, 4, 5, 6, 0].filter((day) => days.has(day));
  return `on ${joined(mondayFirst.map((day) => DAY_NAMES[day]!))}`;
}

/** @returns undefined unless it is a list of days or ranges of days */
function weekdaysOf(field: string): Set<number> | undefined {
  const days = new Set<number>();
  for (const part of field.split(',')) {
    const [from, to = from] = part.split('-').map(weekdayNumber);
    if (from === undefined || to === undefined || part.split('-').length > 2 || to < from) return undefined;
    for (let day = from; day <= to; day++) days.add(day % 7);
  }
  return days;
}

function weekdayNumber(text: string): number | undefined {
  if (/^[0-7]$/.test(text)) return Number(text);
  const index = DAY_NAMES.findIndex((name) => name.slice(0, 3).toLowerCase() === text.toLowerCase());
  return index >= 0 ? index : undefined;
}

const numbers = (field: string): number[] | undefined =>
  /^\d{1,2}(,\d{1,2})*$/.test(field) ? field.split(',').map(Number) : undefined;

/** Only steps that divide the whole are regular. */
function stepOf(field: string, whole: number): number | undefined {
  if (field === '*') return 1;
  const step = Number(/^\*\/(\d{1,2})$/.exec(field)?.[1]);
  return step >= 1 && whole % step === 0 ? step : undefined;
}

const padded = (value: number): string => String(value).padStart(2, '0');

const joined = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
