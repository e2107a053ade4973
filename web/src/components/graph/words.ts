import { formatValue } from '../chart/units.ts';
import { visibleText } from '../text-viewer/visible.ts';
import type { GraphCall } from './types.ts';

/** A name that is safe to show anywhere: bounded length, no bidirectional control characters. */
export function shownName(name: string, most = 120): string {
  if (name.trim() === '') return '(no name)';
  const text = visibleText(name.slice(0, most));
  return name.length > most ? `${text}…` : text;
}

/** Labels are glanced at; the table has all digits. */
const glance = (value: number): number => Number(value.toPrecision(2));

/** The lines of a call's label: `['12/s · p95 240 ms', '3.1% errors']`; none if nothing was measured. */
export function figuresOf({ callsPerSecond, errorRatio, p95Seconds }: GraphCall): string[] {
  const speed = [
    callsPerSecond !== undefined && formatValue(glance(callsPerSecond), '1/s'),
    p95Seconds !== undefined && `p95 ${formatValue(glance(p95Seconds), 's')}`,
  ];
  const errors = errorRatio === undefined ? [] : [`${formatValue(glance(errorRatio), 'ratio')} errors`];
  return [speed.filter((words) => words !== false).join(' · '), ...errors].filter((line) => line !== '');
}
