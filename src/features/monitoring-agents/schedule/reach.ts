import type { Schedule } from '../plan/schema.ts';
import { cronProblem, cronTimes, type CronTimes } from './cron.ts';
import { describeDuration } from './describe.ts';
import { isWithin, longestAwake, quietParts } from './quiet.ts';
import { nextTime } from './times.ts';
import { DAY_MS, MINUTE_MS } from './zone.ts';

/** Four consecutive years, one of them a leap year: what fires in each of them fires in every year. */
const YEARS = [2025, 2026, 2027, 2028];

/** A problem with a schedule, and the member that causes it. */
interface ScheduleProblem {
  path: (string | number)[];
  message: string;
}

/** What keeps a well-formed schedule from firing. */
export function scheduleProblems(schedule: Schedule): ScheduleProblem[] {
  const { every_seconds: seconds, cron, quiet_hours: hours, time_zone: timeZone } = schedule;
  if ((seconds === undefined) === (cron === undefined)) {
    const has = cron === undefined ? 'neither' : 'both';
    return [{ path: [], message: `Schedule should have exactly one of every_seconds and cron; it has ${has}` }];
  }
  const unreadable = cron === undefined ? undefined : cronProblem(cron, timeZone);
  const awake = longestAwake(hours);
  const always = {
    path: ['quiet_hours'],
    message: 'Quiet hours should leave some time of the week: the check never runs',
  };
  if (unreadable !== undefined) {
    return [{ path: ['cron'], message: unreadable }, ...(awake === 0 ? [always] : [])];
  }
  if (awake === 0) return [always];
  if (cron !== undefined) return cronReach(schedule, cronTimes(cron, timeZone));
  if (seconds !== undefined && seconds * 1_000 > awake) {
    const longest = describeDuration(awake / 1_000);
    const message = `Interval should be at most the longest time between quiet hours, ${longest}: a longer one may always fall in them. Use cron to name the times`;
    return [{ path: ['every_seconds'], message }];
  }
  return [];
}

function cronReach(schedule: Schedule, times: CronTimes): ScheduleProblem[] {
  const firesIn = (candidate: Schedule, year: number): boolean => {
    const at = nextTime(candidate, '', Date.UTC(year, 0, 1) - 1);
    return at !== null && at < Date.UTC(year + 1, 0, 1);
  };
  const isRare = YEARS.some((year) => !firesIn({ ...schedule, quiet_hours: [] }, year));
  if (isRare) {
    return [
      {
        path: ['cron'],
        message: 'Cron expression should fire in every year: this one leaves out years, or never fires',
      },
    ];
  }
  if (schedule.quiet_hours.length === 0) return [];
  if (!isSwallowed(schedule, times) && YEARS.every((year) => firesIn(schedule, year))) return [];
  const message = 'Quiet hours should leave times of the cron expression in every year: these cover all of them';
  return [{ path: ['quiet_hours'], message }];
}

/** Considers only times of day and days of the week: times that clock changes move out of quiet hours do not count. */
function isSwallowed({ quiet_hours: hours }: Schedule, { weekdays, minutesOfDay }: CronTimes): boolean {
  const quiet = quietParts(hours);
  return weekdays.every((day) => minutesOfDay.every((minute) => isWithin(quiet, day * DAY_MS + minute * MINUTE_MS)));
}
