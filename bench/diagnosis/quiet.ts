import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { DatasetError } from './case.ts';

const seconds = z.iso.datetime({ offset: true }).transform((time) => Date.parse(time) / 1000);
const window = z.object({ from: seconds, to: seconds });
const incidentFile = z.object({
  window,
  baseline: window.optional(),
  alerts: z.array(z.object({ service: z.string(), at: seconds })),
});

/** What to ask `rank_root_causes` about a period in which nothing is wrong. */
export interface QuietPeriod {
  service: string;
  at: number;
  from: number;
  to: number;
  baseline_from: number;
  baseline_to: number;
}

/**
 * The first and the last part of a recording's healthy period, each as long as its incident, as if its alert had fired
 * there; the rest is the baseline. None if the healthy period is not four times as long.
 * @throws {DatasetError} if the incident cannot be read
 */
export function quietPeriods(directory: string, name: string): QuietPeriod[] {
  const path = join(directory, name, 'incident.json');
  const parsed = incidentFile.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (!parsed.success) throw new DatasetError(`${path}: ${z.prettifyError(parsed.error)}`);
  const { window: incident, baseline, alerts } = parsed.data;
  const [alert] = alerts;
  const length = incident.to - incident.from;
  if (alert === undefined || baseline === undefined || baseline.to - baseline.from < 4 * length) return [];
  const { from, to } = baseline;
  const asked = (begin: number) => ({
    service: alert.service,
    at: begin + Math.max(0, Math.min(length, alert.at - incident.from)),
    from: begin,
    to: begin + length,
  });
  return [
    { ...asked(from), baseline_from: from + 2 * length, baseline_to: to },
    { ...asked(to - length), baseline_from: from, baseline_to: to - 2 * length },
  ];
}
