/** Times as models write them and as results show them. */
import type { TimeWindow } from '../sources/port.ts';
import type { IsoTime, WindowResult } from './results.ts';

const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s?(Z|[+-]\d{2}:?\d{2})?)?$/iu;
/** Anything later must be milliseconds: it is the year 5138. */
const LATEST = 100_000_000_000;

/**
 * Parses a time. Without an offset it is UTC.
 * @param value ISO 8601, or unix seconds as a number or in digits
 * @returns unix seconds, or what is wrong with the value
 */
export function toUnixSeconds(value: string | number): number | { problem: string } {
  const text = String(value).trim();
  if (typeof value === 'number' || /^-?\d+(\.\d+)?$/u.test(text)) {
    const seconds = Number(text);
    if (seconds >= 0 && seconds < LATEST) return seconds;
    return { problem: `${text} is not a time in unix seconds${seconds >= LATEST ? ' (are these milliseconds?)' : ''}` };
  }
  const [, date, time, offset] = ISO.exec(text) ?? [];
  const zone = (offset ?? 'Z').toUpperCase().replace(/^([+-]\d{2})(\d{2})$/u, '$1:$2');
  const milliseconds = Date.parse(`${date}T${time ?? '00:00'}${zone}`);
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds / 1000;
  return { problem: `"${text}" is not a time; use ISO 8601 such as 2026-03-01T14:05:00Z, or unix seconds` };
}

/** @param seconds unix seconds */
export function toIso(seconds: number): IsoTime {
  const at = new Date(Math.round(seconds * 1000));
  return Number.isNaN(at.getTime()) ? 'unknown' : at.toISOString().replace('.000Z', 'Z');
}

export function toIsoWindow(window: TimeWindow): WindowResult {
  return { from: toIso(window.from), to: toIso(window.to) };
}
