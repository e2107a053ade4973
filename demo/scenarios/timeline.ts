import type { Change } from '../../src/features/sources/port.ts';
import type { LogEvent, Scenario } from '../simulator/model.ts';

/** Resolution and length of every demo incident. */
export const DURATION_SECONDS = 9000;

/** From 0 before `from` to 1 after `from + seconds`, in a straight line. */
export function ramp(at: number, from: number, seconds: number): number {
  return Math.min(1, Math.max(0, (at - from) / seconds));
}

/** Unix seconds of an ISO 8601 time. */
export const time = (iso: string): number => Date.parse(iso) / 1000;

/** A line that the software writes every `every` seconds from `from` to `to`. */
export function repeated(
  from: number,
  to: number,
  every: number,
  line: (i: number) => Omit<LogEvent, 'at'>,
): LogEvent[] {
  const events: LogEvent[] = [];
  // The fraction keeps the lines off the clock's full seconds.
  for (let i = 0, at = from; at < to; i++, at = from + i * every + ((i * 7919) % 1000) / 1000)
    events.push({ at, ...line(i) });
  return events;
}

/** Changes with ids that number them within the scenario's day. */
export function changesOf(start: number, changes: Omit<Change, 'id'>[]): Change[] {
  const day = new Date(start * 1000).toISOString().slice(2, 10).replaceAll('-', '');
  return changes.map((change, i) => ({ id: `chg-${day}-${String(i + 1).padStart(2, '0')}`, ...change }));
}

/** End of a scenario, unix seconds. */
export const endOf = ({ start, durationSeconds }: Pick<Scenario, 'start' | 'durationSeconds'>): number =>
  start + durationSeconds;
