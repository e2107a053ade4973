import { formatValue } from '../chart/units.ts';
import { visibleText } from '../text-viewer/visible.ts';
import type { GraphCall } from './types.ts';

/** A name that is safe to show anywhere: bounded length, no bidirectional control characters. */
export function shownName(name: string, most = 120): string {
  if (name.trim() === '') return '(no name)';
  const text = visibleText(name.slice(0, most));
  return name.length > most ? `${text}…` : text;
}

/** "12/s · 3% errors · p95 240 ms"; empty if nothing was measured. */
export function figuresOf({ callsPerSecond, errorRatio, p95Seconds }: GraphCall): string {
  return [
    callsPerSecond !== undefined && formatValue(callsPerSecond, '1/s'),
    errorRatio !== undefined && `${formatValue(errorRatio, 'ratio')} errors`,
    p95Seconds !== undefined && `p95 ${formatValue(p95Seconds, 's')}`,
  ]
    .filter((words) => words !== false)
    .join(' · ');
}
