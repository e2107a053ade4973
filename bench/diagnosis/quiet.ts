import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { DatasetError } from './case.ts';

const seconds = z.iso.datetime({ offset: true }).transform((time) => Date.parse(time) / 1000);
const window = z.object({ from: seconds, to: seconds });
const incidentFile = z.looseObject({
  window,
  baseline: window.optional(),
  alerts: z.array(z.looseObject({ at: seconds })),
});

/**
 * Two parts of a recording's healthy period, each as long as its incident, as if its alert had fired there; the longer
 * rest is the baseline. At a third and two thirds of the period: recordings of one day begin with the same minutes.
 * None if the healthy period is not four times as long.
 * @param incident the content of incident.json
 */
export function quietIncidents(incident: z.output<typeof incidentFile>): object[] {
  const { window: sick, baseline, alerts } = incident;
  const length = sick.to - sick.from;
  if (baseline === undefined || baseline.to - baseline.from < 4 * length) return [];
  const { from, to } = baseline;
  const inHealth = (begin: number, rest: object) => ({
    ...incident,
    window: { from: begin, to: begin + length },
    baseline: rest,
    alerts: alerts.map((alert) => ({ ...alert, at: begin + Math.min(length, Math.max(0, alert.at - sick.from)) })),
  });
  const free = to - from - length;
  const [early, late] = [from + free / 3, from + (2 * free) / 3];
  return [inHealth(early, { from: early + 1.5 * length, to }), inHealth(late, { from, to: late - length / 2 })];
}

/**
 * Calls back with a copy of a recorded incident for each of its {@link quietIncidents}, one after the other.
 * @throws {DatasetError} if the incident cannot be read
 */
export async function forEachQuiet(
  directory: string,
  name: string,
  visit: (directory: string, name: string) => Promise<void>,
): Promise<void> {
  const path = join(directory, name, 'incident.json');
  const parsed = incidentFile.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (!parsed.success) throw new DatasetError(`${path}: ${z.prettifyError(parsed.error)}`);
  const copies = await mkdtemp(join(tmpdir(), 'casebook-bench-quiet-'));
  try {
    await cp(join(directory, name), join(copies, name), { recursive: true });
    for (const incident of quietIncidents(parsed.data)) {
      await writeFile(join(copies, name, 'incident.json'), JSON.stringify(incident));
      await visit(copies, name);
    }
  } finally {
    await rm(copies, { recursive: true, force: true });
  }
}
