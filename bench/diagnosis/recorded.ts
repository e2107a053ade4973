import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiagnosisCase } from './case.ts';

/**
 * Writes a PetShop case as a recorded incident (demo/incidents/README.md), so that a whole investigation can be run
 * over it. What is written is what a ranking may see: the truth stays with the case. The healthy recording is the
 * baseline, months away from the incident.
 * @param incidentsDir folder of recorded incidents; the case gets a folder of its own in it
 * @returns the folder's name; the source's id is `incident:` and that name
 */
export async function petshopToRecordedIncident(one: DiagnosisCase, incidentsDir: string): Promise<string> {
  const { alert, baseline, incident, series, edges } = one.input;
  if (!alert || !incident) throw new Error(`${one.name} has no alert or no window to investigate`);
  const name = `petshop-${one.name.replaceAll(/[^\w.-]+/g, '-')}`;
  const folder = join(incidentsDir, name);
  await mkdir(folder, { recursive: true });
  const metric = alert.metric ?? 'service level';
  await writeFile(
    join(folder, 'incident.json'),
    JSON.stringify({
      title: `${alert.service}: ${metric} is out of bounds`,
      window: incident,
      baseline,
      alerts: [
        {
          name: 'ServiceLevelObjective',
          service: alert.service,
          metric: alert.metric,
          at: alert.at,
          summary: `${metric} of ${alert.service} violates its objective`,
        },
      ],
    }),
  );
  await writeFile(
    join(folder, 'edges.csv'),
    toCsv([['caller', 'callee'], ...edges.map(({ caller, callee }) => [caller, callee])]),
  );
  const times = [...new Set(series.flatMap(({ timestamps }) => timestamps))].sort((a, b) => a - b);
  const columns = series.map((each) => new Map(each.timestamps.map((at, i) => [at, each.values[i]!])));
  const cell = (value: number | undefined) => (value === undefined || !Number.isFinite(value) ? '' : String(value));
  await writeFile(
    join(folder, 'metrics.csv'),
    toCsv([
      ['service', ...series.map(({ service }) => service)],
      ['metric', ...series.map((each) => each.metric)],
      ['statistic', ...series.map(({ statistic }) => statistic ?? '')],
      ...times.map((at) => [String(at), ...columns.map((values) => cell(values.get(at)))]),
    ]),
  );
  return name;
}

function toCsv(rows: string[][]): string {
  const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((row) => `${row.map(quoted).join(',')}\n`).join('');
}
