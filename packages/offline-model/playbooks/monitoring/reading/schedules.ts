/** When something is to be checked, as people write it. */
import type { QuietHours } from '../../../../../src/features/monitoring-agents/plan/schema.ts';
import { DAYS, daysOf, otherDays, takeQuietHours, takeTimeZone, TIME, timeOf, type Weekday } from './hours.ts';
import { DURATION, durationOf, NUMBER, numberOf, secondsOf, TIME_UNIT } from './numbers.ts';
import { take, takeAll, type Passage } from './passage.ts';

const SHORTEST = 5;
const LONGEST = 7 * 86_400;
const DAY_SECONDS = 86_400;

/** What a text says of when; members that it does not say are absent. */
export interface SaidSchedule {
  when?: { every_seconds: number } | { cron: string };
  time_zone?: string;
  quiet_hours?: QuietHours[];
  /** What was not taken as it was said, for the person. */
  notes: string[];
}

const CRON_FIELD = String.raw`[\d*][\d*/,-]*|[\d*/,-]*(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[\w*/,-]*`;
const CRON = new RegExp(
  String.raw`(?:\b(?:with\s+|on\s+|by\s+)?(?:the\s+)?cron(?:tab)?(?:\s+(?:expression|schedule))?\s*:?\s*["'\x60“]?\s*|["'\x60“]\s*)(?<cron>(?:(?:${CRON_FIELD})\s+){4}(?:${CRON_FIELD}))\s*["'\x60”]?`,
  'iu',
);
const AT = String.raw`(?:\s*(?:,|at|@|around|by)\s*|\s+)(?<times>${TIME}(?:\s*(?:,|and|&)\s*(?:at\s+)?${TIME})*)`;
const EACH = String.raw`\b(?:every|each)`;
/** Days with times: `every weekday at 9:00 and 17:00`, `on mondays at 8`, `daily at noon`. */
const ON_DAYS_AT = new RegExp(String.raw`(?:(?:${EACH}|\bon)\s+)?\b(?<days>${DAYS})${AT}`, 'iu');
const AT_ON_DAYS = new RegExp(
  String.raw`\bat\s+(?<times>${TIME}(?:\s*(?:,|and|&)\s*(?:at\s+)?${TIME})*)\s*,?\s*(?:(?:${EACH}|on)\s+)(?<days>${DAYS})`,
  'iu',
);
const DAILY_AT = new RegExp(
  String.raw`(?:${EACH}\s+day|\bdaily|\bonce a day|\b(?:every|each)\s+(?:morning|evening|night|afternoon|noon|midnight))${AT}`,
  'iu',
);
const AT_DAILY = new RegExp(
  String.raw`\bat\s+(?<times>${TIME}(?:\s*(?:,|and|&)\s*(?:at\s+)?${TIME})*)\s*,?\s*(?:${EACH}\s+(?:day|morning|evening|night)|daily)\b`,
  'iu',
);
const PART_OF_DAY = new RegExp(
  String.raw`(?:${EACH}|\bin\s+the)\s+(?<part>morning|evening|night|afternoon|noon|midnight)s?\b`,
  'iu',
);
const ON_DAYS = new RegExp(
  String.raw`(?:${EACH}|\b(?:only\s+)?on)\s+(?<days>${DAYS})|\b(?<alone>weekdays) only\b`,
  'iu',
);
const MONTHLY = new RegExp(
  String.raw`\b(?:on\s+)?the\s+(?<day>\d{1,2})(?:st|nd|rd|th)\s+of\s+(?:every|each|the)\s+month(?:${AT})?`,
  'iu',
);

const EVERY = new RegExp(
  String.raw`\b(?:(?:once\s+)?(?:every|each)|at\s+intervals?\s+of|interval\s+(?:of|to|is|:)|in\s+intervals?\s+of)\s+(?<length>(?:other\s+)?${DURATION}|(?:other\s+)?${TIME_UNIT}\b)`,
  'iu',
);
const INTERVALS = new RegExp(String.raw`\b(?:at|in|with|to)\s+(?:an?\s+)?(?<length>${DURATION})\s+intervals?\b`, 'iu');
const PER = new RegExp(
  String.raw`\b(?<count>once|twice|${NUMBER}\s+times)\s+(?:a|an|per|every|each)\s+(?<unit>second|minute|hour|day|week)\b`,
  'iu',
);
const ADVERB = /\b(?<adverb>every ?minutely|minutely|hourly|daily|nightly|weekly)\b/iu;
const CONTINUOUS =
  /\b(?:continuous(?:ly)?|constantly|all the time|permanently|real[- ]?time|as often as (?:possible|you can))\b/iu;

/** Hours without being told, which is not the same as without a check. */
const UNTOLD =
  /\b(?:do\s+not|don['’]?t|dont|never|no)\s+(?:ever\s+)?(?:bother|disturb|wake|page|alert|notify|tell|ping|message|pages|alerts|notifications)\b/iu;

const PARTS: Record<string, string> = {
  morning: '09:00',
  noon: '12:00',
  afternoon: '15:00',
  evening: '18:00',
  night: '02:00',
  midnight: '00:00',
};
const ADVERBS: Record<string, number> = { hourly: 3_600, daily: DAY_SECONDS, nightly: DAY_SECONDS, weekly: LONGEST };
const CRON_DAYS: Record<Weekday, number> = { mon: 1, tue: 2, wed: 3, thu: 4, fri: 5, sat: 6, sun: 0 };

/** Takes everything out of the passage that says when something is to be checked. */
export function takeSchedule(passage: Passage): SaidSchedule {
  const notes: string[] = [];
  const cron = take(passage, CRON)?.groups?.['cron'];
  const time_zone = takeTimeZone(passage);
  const byClock = cron === undefined ? takeClock(passage, notes) : undefined;
  const said = cron === undefined ? undefined : { cron: cron.trim().replaceAll(/\s+/g, ' ') };
  const when = said ?? byClock ?? takeInterval(passage, notes);
  const isUntold = UNTOLD.test(passage.text);
  const quiet = takeQuietHours(passage);
  if (isUntold && quiet.length > 0)
    notes.push('There are no hours in which I look and tell nobody: in quiet hours I do not check at all.');
  const days = takeDays(passage, when !== undefined && 'cron' in when);
  const quiet_hours = [...quiet, ...days].slice(0, 10);
  return {
    ...(when && { when }),
    ...(time_zone && { time_zone }),
    ...(quiet_hours.length > 0 && { quiet_hours }),
    notes,
  };
}

/** @returns seconds between two runs, about: of a cron expression as far as its form tells */
export function periodOf(schedule: { every_seconds?: number | undefined; cron?: string | undefined }): number {
  if (schedule.every_seconds !== undefined) return schedule.every_seconds;
  const [minute = '', hour = ''] = (schedule.cron ?? '').trim().split(/\s+/);
  const step = /^\*\/(\d+)$/.exec(minute)?.[1];
  if (minute === '*') return 60;
  if (step !== undefined && Number(step) > 0) return Number(step) * 60;
  if (hour === '*' || /[-/]/.test(hour)) return 3_600;
  return DAY_SECONDS;
}

/** Days with times of the day: as a cron expression. */
function takeClock(passage: Passage, notes: string[]): { cron: string } | undefined {
  const month = take(passage, MONTHLY)?.groups;
  if (month) return cronOf(month['times'] ?? '9:00', String(Math.min(31, Math.max(1, Number(month['day'])))), '*');
  const onDays = (take(passage, ON_DAYS_AT) ?? take(passage, AT_ON_DAYS))?.groups;
  if (onDays) return cronOf(onDays['times'] ?? '', '*', daysField(daysOf(onDays['days'] ?? '')));
  const daily = take(passage, DAILY_AT) ?? take(passage, AT_DAILY);
  if (daily) return cronOf(daily.groups?.['times'] ?? '', '*', '*', /evening|night|afternoon/i.test(daily[0]));
  const part = take(passage, PART_OF_DAY)?.groups?.['part']?.toLowerCase();
  const time = part === undefined ? undefined : PARTS[part];
  if (part === undefined || time === undefined) return undefined;
  notes.push(`For “${part}” I take ${time}.`);
  const days = take(passage, ON_DAYS)?.groups;
  return cronOf(time, '*', days ? daysField(daysOf(days['days'] ?? 'weekdays')) : '*');
}

/** @param later hours below 12 without `am` are those of the afternoon or evening */
function cronOf(times: string, dayOfMonth: string, days: string, later = false): { cron: string } | undefined {
  const all = times
    .split(/,|\band\b|&/i)
    .map((time) => time.replace(/^\s*at\s+/i, '').trim())
    .flatMap((time) => {
      const plain = timeOf(time);
      if (plain === undefined) return [];
      const [hour = 0, minute = 0] = plain.split(':').map(Number);
      const isLater = later && hour < 12 && hour >= 5 && !/[ap]\.?m/i.test(time);
      return [{ hour: isLater ? hour + 12 : hour, minute }];
    });
  const [first] = all;
  if (!first) return undefined;
  // One expression has one minute for all of its hours.
  const hours = [...new Set(all.filter(({ minute }) => minute === first.minute).map(({ hour }) => hour))];
  return { cron: `${first.minute} ${hours.toSorted((a, b) => a - b).join(',')} ${dayOfMonth} * ${days}` };
}

function daysField(days: readonly Weekday[]): string {
  if (days.length === 0 || days.length === 7) return '*';
  if (days.join() === 'mon,tue,wed,thu,fri') return '1-5';
  return days.map((day) => CRON_DAYS[day]).join(',');
}

function takeInterval(passage: Passage, notes: string[]): { every_seconds: number } | undefined {
  const length = (take(passage, EVERY) ?? take(passage, INTERVALS))?.groups?.['length'];
  if (length !== undefined) return bounded(lengthOf(length), notes);
  const per = take(passage, PER)?.groups;
  if (per) {
    const said = per['count']?.toLowerCase() ?? '';
    const count = said === 'once' ? 1 : said === 'twice' ? 2 : (numberOf(said.replace(/\s+times$/, '')) ?? 1);
    return bounded((secondsOf(per['unit'] ?? '') ?? 60) / Math.max(count, 1e-6), notes);
  }
  const adverb = take(passage, ADVERB)?.groups?.['adverb']?.toLowerCase();
  if (adverb !== undefined) return bounded(ADVERBS[adverb] ?? 60, notes);
  if (!take(passage, CONTINUOUS)) return undefined;
  notes.push('I check every 30 seconds: there is no checking all the time.');
  return { every_seconds: 30 };
}

function lengthOf(text: string): number | undefined {
  const other = /^other\s+/i.test(text);
  const plain = text.replace(/^other\s+/i, '').trim();
  const seconds = durationOf(plain) ?? secondsOf(plain);
  return seconds === undefined ? undefined : other ? 2 * seconds : seconds;
}

function bounded(seconds: number | undefined, notes: string[]): { every_seconds: number } | undefined {
  if (seconds === undefined || !Number.isFinite(seconds)) return undefined;
  const rounded = Math.round(seconds);
  if (rounded < SHORTEST) notes.push(`The shortest interval is ${SHORTEST} seconds, so I take that.`);
  if (rounded > LONGEST) notes.push('The longest interval is a week, so I take that.');
  return { every_seconds: Math.min(LONGEST, Math.max(SHORTEST, rounded)) };
}

/** `on weekdays` beside an interval: the other days are quiet. In a cron expression the days are said already. */
function takeDays(passage: Passage, isCron: boolean): QuietHours[] {
  if (isCron) return [];
  return takeAll(passage, ON_DAYS, 1).flatMap(({ groups }) => {
    const quiet = otherDays(daysOf(groups?.['days'] ?? groups?.['alone'] ?? ''));
    return quiet.length > 0 && quiet.length < 7 ? [{ days: quiet, from: '00:00', to: '00:00' }] : [];
  });
}
