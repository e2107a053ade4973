import { existsSync, readFileSync } from 'node:fs';

/** Processor time of this process and of all that it waited for, with theirs, in seconds; NaN where the system does not say. */
export function cpuSeconds(): number {
  if (!existsSync('/proc/self/stat')) return Number.NaN;
  const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ');
  const ticks = fields.split(' ').slice(11, 15).map(Number);
  return ticks.reduce((sum, one) => sum + one, 0) / 100;
}
