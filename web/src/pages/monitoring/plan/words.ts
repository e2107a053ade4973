/** Schedules and durations in words. */
import { isObject, type Json, type JsonObject } from './json.ts';

/** Units of duration, largest first. */
export const UNITS = [
  { seconds: 86_400, one: 'day', several: 'days' },
  { seconds: 3_600, one: 'hour', several: 'hours' },
  { seconds: 60, one: 'minute', several: 'minutes' },
  { seconds: 1, one: 'second', several: 'seconds' },
] as const;

/** The largest unit in which a duration is a whole number. */
export const unitOf = (seconds: number): (typeof UNITS)[number] =>
  UNITS.find((unit) => seconds >= unit.seconds && seconds % unit.seconds === 0) ?? UNITS[3];

/** "5 minutes", "90 seconds", "1 hour". */
export function periodWords(seconds: number): string {
  const unit = unitOf(seconds);
  const count = seconds / unit.seconds;
  return `${count} ${count === 1 ? unit.one : unit.several}`;
}

/** When a check runs, for a plan that may be incomplete: "every 5 minutes, with quiet hours". */
export function scheduleWords(schedule: Json | undefined): string {
  if (!isObject(schedule)) return 'no schedule';
  const quiet = schedule['quiet_hours'];
  const hasQuiet = Array.isArray(quiet) && quiet.length > 0;
  return rhythmWords(schedule) + (hasQuiet ? ', with quiet hours' : '');
}

function rhythmWords({ every_seconds: every, cron, time_zone: zone }: JsonObject): string {
  if (typeof every === 'number') return `every ${periodWords(every).replace(/^1 /, '')}`;
  if (typeof cron === 'string' && cron !== '') return `cron ${cron} (${typeof zone === 'string' ? zone : 'UTC'})`;
  return 'no schedule';
}
