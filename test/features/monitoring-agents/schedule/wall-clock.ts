/** What the tests of schedules know of wall clocks, independently of the code they test. */
import { Schedule, WEEKDAYS } from '../../../../src/features/monitoring-agents/plan/schema.ts';

/** A schedule as somebody writes it. */
export const schedule = (written: Record<string, unknown>): Schedule => Schedule.parse(written);

export const at = (iso: string): number => {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) throw new TypeError(`Not a time: ${iso}`);
  return ms;
};

export interface Wall {
  /** "2026-03-29 02:30" */
  label: string;
  weekday: number;
  minute: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

export function wallAt(timeZone: string, ms: number): Wall {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'short' });
    formats.set(timeZone, format);
  }
  const label = format.format(ms);
  const [date = '', time = ''] = label.split(' ');
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const weekday = (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7;
  return { label, weekday, minute: hours * 60 + minutes };
}

/** The rule of quiet hours, by the words of the schema. */
export function isQuietByRule({ quiet_hours, time_zone }: Schedule, ms: number): boolean {
  const { weekday, minute } = wallAt(time_zone, ms);
  const minutes = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
  return quiet_hours.some(({ days, from, to }) => {
    const begins = (day: number): boolean => !days || days.includes(WEEKDAYS[(day + 7) % 7]!);
    if (minutes(to) > minutes(from)) return begins(weekday) && minute >= minutes(from) && minute < minutes(to);
    return (begins(weekday) && minute >= minutes(from)) || (begins(weekday - 1) && minute < minutes(to));
  });
}

/** Two days around each change of clocks in 2026, and around a day without one. */
export const WINDOWS = [
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Africa/Cairo', '2026-04-24'],
  ['Africa/Cairo', '2026-10-29'],
  ['Asia/Kolkata', '2026-03-29'],
  ['UTC', '2026-03-29'],
] as const;
