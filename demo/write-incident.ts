import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Span } from '../src/features/sources/port.ts';
import { metricCatalog } from './simulator/metrics.ts';
import type { SimulatedIncident } from './simulator/incident.ts';

const iso = (at: number) => new Date(at * 1000).toISOString();

/**
 * The files of a simulated incident, by name, in the format of demo/incidents/README.md. Byte-identical for the same
 * incident: numbers are rounded to four significant digits, keys and rows have a fixed order.
 */
export function incidentFiles(incident: SimulatedIncident): Map<string, string> {
  const { metrics } = incident;
  const used = new Set(metrics.map(({ metric }) => metric));
  const rows = [
    ['service', ...metrics.map(({ service }) => service)],
    ['metric', ...metrics.map(({ metric }) => metric)],
    ['statistic', ...metrics.map(({ statistic }) => statistic ?? '')],
    ...incident.timestamps.map((at, i) => [String(at), ...metrics.map(({ values }) => rounded(values[i]!))]),
  ];
  return new Map([
    [
      'incident.json',
      json({
        title: incident.title,
        window: { from: iso(incident.window.from), to: iso(incident.window.to) },
        baseline: { from: iso(incident.baseline.from), to: iso(incident.baseline.to) },
        alerts: incident.alerts.map((alert) => ({ ...alert, at: iso(alert.at) })),
      }),
    ],
    ['services.json', json(incident.services)],
    ['metrics.json', json(Object.fromEntries(Object.entries(metricCatalog).filter(([name]) => used.has(name))))],
    ['metrics.csv', rows.map((row) => `${row.join(',')}\n`).join('')],
    [
      'edges.csv',
      `caller,callee,calls_per_second\n${incident.edges.map((e) => `${e.caller},${e.callee},${rounded(e.callsPerSecond!)}\n`).join('')}`,
    ],
    ['changes.json', json(incident.changes.map((change) => ({ ...change, at: iso(change.at) })))],
    ['spans.jsonl', incident.spans.map((span) => `${JSON.stringify(recordedSpan(span))}\n`).join('')],
    ['logs.jsonl', incident.logs.map((line) => `${JSON.stringify({ ...line, at: iso(line.at) })}\n`).join('')],
  ]);
}

/** Dates have milliseconds only. */
function isoMicroseconds(at: number): string {
  const microseconds = Math.round(at * 1e6);
  const ms = Math.floor(microseconds / 1000);
  return new Date(ms).toISOString().replace('Z', `${String(microseconds - ms * 1000).padStart(3, '0')}Z`);
}

const recordedSpan = ({ traceId, spanId, parentId, service, operation, start, durationMs, kind, status }: Span) => ({
  trace_id: traceId,
  span_id: spanId,
  parent_id: parentId,
  service,
  operation,
  start: isoMicroseconds(start),
  duration_ms: durationMs,
  kind,
  status,
});

/** What really happened, as the file that only scoring may read. */
export function truthFile(incident: SimulatedIncident): string {
  return json(incident.truth);
}

/** Writes an incident's files to `incidentsDir/<id>` and what really happened to `truthDir/<id>.json`. */
export async function writeIncident(
  incident: SimulatedIncident,
  incidentsDir: string,
  truthDir: string,
): Promise<void> {
  const folder = join(incidentsDir, incident.id);
  await mkdir(folder, { recursive: true });
  await mkdir(truthDir, { recursive: true });
  for (const [name, text] of incidentFiles(incident)) await writeFile(join(folder, name), text);
  await writeFile(join(truthDir, `${incident.id}.json`), truthFile(incident));
}

function rounded(value: number): string {
  if (!Number.isFinite(value)) return '';
  if (Number.isInteger(value)) return String(value);
  // At most four decimals: a latency below a tenth of a millisecond says nothing.
  return String(Number(Number(value.toPrecision(4)).toFixed(4)));
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
