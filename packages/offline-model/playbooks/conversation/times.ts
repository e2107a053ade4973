/** Times that people name: `16:40`, `4:40 pm`, `between 16:30 and 16:45`, `the last 20 minutes`, ISO times. */
import { isLive, type ListedSource } from '../investigation/sources.ts';

export interface NamedWindow {
  /** ISO times; an end that is left open is absent. */
  from?: string;
  to?: string;
}

const ISO = String.raw`\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?`;
const CLOCK = String.raw`(?<![\d:.])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?:\s?[ap]\.?m\b\.?)?|(?<![\d:.])(?:1[0-2]|0?[1-9])\s?[ap]\.?m\b\.?`;
const TIME = new RegExp(`${ISO}|${CLOCK}`, 'giu');
const RELATIVE = /\b(?:last|past|previous)\s+(\d{1,3})?\s*(min(?:ute)?s?|hours?|h)\b/i;
const AROUND_MS = 10 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/** The times a text names, as they stand there. */
export function timesIn(text: string): string[] {
  return [...text.matchAll(TIME)].map(([time]) => time.trim());
}

/**
 * A named time as an ISO time. A time of day is taken on a day that the source covers, or for a live source on the day
 * of `now`, or the day before when it would be in the future.
 * @returns undefined when the source does not cover such a time, or nobody knows what day it is
 */
export function resolveTime(time: string, source: ListedSource, now?: string): string | undefined {
  if (/^\d{4}-/.test(time)) {
    const at = Date.parse(time.replace(' ', 'T').replace(/(:\d{2}(?:\.\d+)?)$/, '$1Z'));
    return Number.isNaN(at) ? undefined : iso(at);
  }
  const [hours, minutes, seconds] = clockOf(time);
  const onDayOf = (at: number): number =>
    Math.floor(at / DAY_MS) * DAY_MS + ((hours * 60 + minutes) * 60 + seconds) * 1_000;
  if (isLive(source)) {
    const today = Date.parse(now ?? '');
    if (Number.isNaN(today)) return undefined;
    const at = onDayOf(today);
    return iso(at > today ? at - DAY_MS : at);
  }
  const [from, to] = [Date.parse(source.window?.from ?? ''), Date.parse(source.window?.to ?? '')];
  const day = [onDayOf(from), onDayOf(to)].find((at) => at >= from && at < to);
  return day === undefined ? undefined : iso(day);
}

/** The period a text asks for: between two times, since or until one, around one, or the last minutes of a live source. */
export function windowIn(text: string, source: ListedSource, now?: string): NamedWindow {
  const [first, second] = timesIn(text).flatMap((time) => resolveTime(time, source, now) ?? []);
  if (first === undefined) return relativeWindow(text, source, now);
  if (second !== undefined && /\b(?:between|from|to|until|till)\b|–|-/i.test(text)) return { from: first, to: second };
  if (/\b(?:since|after|from)\b/i.test(text)) return { from: first };
  if (/\b(?:before|until|till|up to)\b/i.test(text)) return { to: first };
  const at = Date.parse(first);
  return { from: iso(at - AROUND_MS), to: iso(at + AROUND_MS) };
}

function relativeWindow(text: string, source: ListedSource, now?: string): NamedWindow {
  const match = RELATIVE.exec(text);
  const end = Date.parse(now ?? '');
  if (!match || !isLive(source) || Number.isNaN(end)) return {};
  const [, count = '1', unit = 'min'] = match;
  const minutes = Number(count) * (unit.startsWith('h') ? 60 : 1);
  return { from: iso(end - minutes * 60_000), to: iso(end) };
}

function clockOf(time: string): [number, number, number] {
  const [, hours = '0', minutes = '0', seconds = '0', half] =
    /^(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?\s?(?:([ap])\.?m\.?)?$/i.exec(time) ?? [];
  const morning = Number(hours) % 12;
  const hour = half === undefined ? Number(hours) : half.toLowerCase() === 'p' ? morning + 12 : morning;
  return [hour, Number(minutes), Number(seconds)];
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}
