/** Times of the day, days of the week, time zones and quiet hours, as people write them. */
import type { QuietHours } from '../../../../../src/features/monitoring-agents/plan/schema.ts';
import { take, takeAll, type Passage } from './passage.ts';

export type Weekday = NonNullable<QuietHours['days']>[number];

const WEEK: readonly Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const WORKING: readonly Weekday[] = WEEK.slice(0, 5);
const WEEKEND: readonly Weekday[] = WEEK.slice(5);

/** `9`, `9:00`, `9.30`, `9am`, `9:00 pm`, `noon`, `midnight`. */
export const TIME = String.raw`(?:noon|midnight|\d{1,2}(?:[:.]\d{2})?(?:\s?[ap]\.?m\b\.?)?(?:\s?o'?clock)?)(?![\d%]|[:.]\d)`;
const DAY = String.raw`(?:week ?days?|week ?ends?|working days?|business days?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|mon|tues?|wed|thurs?|thu|fri|sat|sun)`;
/** `weekdays`, `monday`, `Mon-Fri`, `mondays, wednesdays and fridays`. */
export const DAYS = String.raw`${DAY}\b(?:\s*(?:-|–|to|through|,|,?\s+and|or)\s*(?:on\s+)?${DAY}\b)*`;
const RANGE = String.raw`(?:between\s+|from\s+)?(?<from>${TIME})\s*(?:-|–|to|and|until|till|through)\s*(?<to>${TIME})`;
const EXCEPT = String.raw`(?:,|;|and|but|\s)*\b(?:(?:but\s+)?not|except(?:\s+for)?|excluding|never|quiet(?:\s+hours?)?(?:\s+are|\s+is)?\s*:?|silent|pause[ds]?|skip|no checks?|(?:do\s+not|don['’]?t|dont|never|stop|no\s+need\s+to)\s+(?:ever\s+)?(?:check|run|watch|monitor|look|bother|disturb|wake|page|alert|notify|tell|ping|message)(?:ing)?(?:\s+(?:me|us|it|them|anyone|anything|anybody|the\s+team|up))*)\s+(?:run\s+|on\s+|during\s+|at\s+|it\s+)*`;

const QUIET = new RegExp(String.raw`${EXCEPT}${RANGE}(?:\s+(?:on\s+)?(?<days>${DAYS}))?`, 'iu');
const QUIET_DAYS = new RegExp(String.raw`${EXCEPT}(?:the\s+)?(?<days>${DAYS})`, 'iu');
const QUIET_NIGHT = new RegExp(String.raw`${EXCEPT}(?:the\s+)?(?:over\s?)?nights?\b(?:\s?time)?`, 'iu');
/** Hours in which alone it is to be watched. */
const ACTIVE = new RegExp(
  String.raw`(?:,|;|and|but|\s)*\b(?:only\s+)?(?:between\s+|from\s+)(?<from>${TIME})\s*(?:-|–|to|and|until|till)\s*(?<to>${TIME})`,
  'iu',
);
const OFFICE = /(?:,|\s)*\b(?:only\s+)?(?:during|in|within)\s+(?:business|office|working|work)\s+hours\b/iu;

/** @returns `09:00`; undefined when there is no such time */
export function timeOf(text: string): string | undefined {
  const said = text.trim().toLowerCase();
  if (said === 'noon') return '12:00';
  if (said === 'midnight') return '00:00';
  const [, hours = '', minutes = '00', half] = /^(\d{1,2})(?:[:.](\d{2}))?\s?(?:([ap])\.?m\.?)?/.exec(said) ?? [];
  if (hours === '') return undefined;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half === 'p' ? 12 : 0);
  if (hour > 24 || Number(minutes) > 59 || (half !== undefined && Number(hours) > 12)) return undefined;
  return `${String(hour % 24).padStart(2, '0')}:${minutes}`;
}

/** The days a text names, in the order of the week. */
export function daysOf(text: string): Weekday[] {
  const found = new Set<Weekday>();
  const parts = [
    ...text.toLowerCase().matchAll(new RegExp(String.raw`(-|–|\bto\b|\bthrough\b)?\s*(?:on\s+)?(${DAY})\b`, 'g')),
  ];
  let last: Weekday | undefined;
  for (const [, through, word = ''] of parts) {
    if (/^(?:week ?day|working|business)/.test(word)) WORKING.forEach((day) => found.add(day));
    else if (/^week ?end/.test(word)) WEEKEND.forEach((day) => found.add(day));
    else {
      const day = WEEK.find((one) => word.startsWith(one));
      if (day === undefined) continue;
      for (const one of through && last ? daysFrom(last, day) : [day]) found.add(one);
      last = day;
    }
  }
  return WEEK.filter((day) => found.has(day));
}

/** The days of the week that are none of these. */
export function otherDays(days: readonly Weekday[]): Weekday[] {
  return WEEK.filter((day) => !days.includes(day));
}

/** Takes the times in which nothing is to be run. */
export function takeQuietHours(passage: Passage): QuietHours[] {
  const quiet: QuietHours[] = [];
  for (const { groups } of takeAll(passage, QUIET)) {
    const [from, to] = [timeOf(groups?.['from'] ?? ''), timeOf(groups?.['to'] ?? '')];
    const days = daysOf(groups?.['days'] ?? '');
    if (from && to) quiet.push({ ...(days.length > 0 && { days }), from, to });
  }
  for (const { groups } of takeAll(passage, QUIET_DAYS)) {
    const days = daysOf(groups?.['days'] ?? '');
    if (days.length > 0) quiet.push({ days, from: '00:00', to: '00:00' });
  }
  if (take(passage, QUIET_NIGHT)) quiet.push({ from: '22:00', to: '06:00' });
  for (const { groups } of takeAll(passage, ACTIVE, 1)) {
    const [from, to] = [timeOf(groups?.['from'] ?? ''), timeOf(groups?.['to'] ?? '')];
    // What is outside of the hours is quiet.
    if (from && to && from !== to) quiet.push({ from: to, to: from });
  }
  if (take(passage, OFFICE))
    quiet.push({ from: '18:00', to: '09:00' }, { days: [...WEEKEND], from: '00:00', to: '00:00' });
  return quiet.slice(0, 10);
}

const ZONE =
  /(?:,|\s)*(?:\bin\s+|\()?(?:time ?zone\s*:?\s*)?\b(?<zone>[A-Z][A-Za-z]+(?:\/[A-Z][A-Za-z_-]+){1,2}|UTC|GMT|CET|EST|PST|MST)\b(?:\s+time\b)?\)?/u;
const CITY = /(?:,|\s)*(?:\bin\s+|\()?\b(?<city>[A-Z][a-z]+(?: [A-Z][a-z]+){0,2}) time\b\)?/u;

/** Takes the time zone: its name (`Europe/Berlin`), or that of its city (`Berlin time`). */
export function takeTimeZone(passage: Passage): string | undefined {
  const named = ZONE.exec(passage.text)?.groups?.['zone'];
  if (named !== undefined && isTimeZone(named)) {
    take(passage, ZONE);
    return named;
  }
  const city = CITY.exec(passage.text)?.groups?.['city']?.replaceAll(' ', '_');
  const zone = city && Intl.supportedValuesOf('timeZone').find((one) => one.endsWith(`/${city}`));
  if (zone) take(passage, CITY);
  return zone || undefined;
}

function daysFrom(first: Weekday, last: Weekday): Weekday[] {
  const [from, to] = [WEEK.indexOf(first), WEEK.indexOf(last)];
  return WEEK.filter((_, index) => (from <= to ? index >= from && index <= to : index >= from || index <= to));
}

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}
