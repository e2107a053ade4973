import { useEffect, useState } from 'react';
import { serverNow } from '../../api/server-clock.ts';

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const whole = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** "3 minutes ago", relative to `now`. */
export function fromNow(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second' as const, 1];
  return unit === 'second' && Math.abs(seconds) < 10 ? 'just now' : relative.format(Math.round(seconds / size), unit);
}

/** "1 h 5 min", "12 s", "340 ms". @param ms a duration */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${ms < 10_000 ? (ms / 1000).toFixed(1) : seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Date and 24-hour time in the reader's time zone, which it names. */
export const wholeTime = (at: Date): string => whole.format(at);

/** The server's clock for rendering, updated every `everyMs`. */
export function useNow(everyMs: number): Date {
  const [now, setNow] = useState(() => new Date(serverNow()));
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date(serverNow())), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** A moment as how long ago it was, with the full date on hover. @param at ISO 8601 */
export function Time({ at }: { at: string }) {
  const now = useNow(30_000);
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span>{at}</span>;
  return (
    <time dateTime={at} title={wholeTime(date)} className="whitespace-nowrap">
      {fromNow(date, now)}
    </time>
  );
}

/** A running duration, counted up to the second. @param since ISO 8601 */
export function Elapsed({ since }: { since: string }) {
  const now = useNow(1_000);
  return <span className="tabular-nums">{duration(Math.max(0, now.getTime() - new Date(since).getTime()))}</span>;
}
