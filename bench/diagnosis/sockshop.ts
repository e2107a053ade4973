import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { MetricSeries } from '../../src/features/diagnosis/index.ts';
import { DatasetError, type DiagnosisCase } from './case.ts';
import { listFolders, readCsv, toSample } from './csv.ts';

/**
 * Reads the Sock Shop layout of BARO and RCAEval: `DIR/SERVICE-FAULT/N/{normal,anomalous}.csv` with one
 * `SERVICE_METRIC` column per series and usually a `time` column. There is neither a graph nor an alerting service.
 * The truth is the folder's name without the fault. Throws DatasetError when a file is missing or malformed.
 */
export function loadSockShopCases(directory: string): DiagnosisCase[] {
  const cases: DiagnosisCase[] = [];
  for (const fault of listFolders(directory)) {
    for (const repetition of listFolders(join(directory, fault))) {
      const folder = join(directory, fault, repetition);
      if (!existsSync(join(folder, 'normal.csv')) && !existsSync(join(folder, 'anomalous.csv'))) continue;
      cases.push(loadCase(fault, repetition, folder));
    }
  }
  if (cases.length === 0)
    throw new DatasetError(`${directory} holds no Sock Shop case (SERVICE-FAULT/N/normal.csv and anomalous.csv)`);
  return cases;
}

function loadCase(fault: string, repetition: string, folder: string): DiagnosisCase {
  const normal = readTable(join(folder, 'normal.csv'), undefined);
  const anomalous = readTable(join(folder, 'anomalous.csv'), normal.timestamps.at(-1));
  const incidentFrom = anomalous.timestamps[0]!;
  const truth = /^(.+)-[^-]+$/.exec(fault)?.[1];
  return {
    dataset: 'sockshop',
    system: 'sockshop',
    name: `${fault}/${repetition}`,
    input: {
      series: joinTables(normal, anomalous),
      edges: [],
      baseline: { from: normal.timestamps[0]!, to: incidentFrom },
      incident: { from: incidentFrom, to: anomalous.timestamps.at(-1)! + 1 },
    },
    ...(truth === undefined ? {} : { truth }),
  };
}

interface Table {
  timestamps: number[];
  columns: Map<string, number[]>;
}

/** Without a usable `time` column, rows are one second apart and follow the table before. */
function readTable(path: string, previousEnd: number | undefined): Table {
  const [header, ...rows] = readCsv(path);
  if (header === undefined || rows.length === 0) throw new DatasetError(`${path} has no samples`);
  const timeColumn = header.findIndex((name) => /^(time|timestamp)$/i.test(name.trim()));
  const times = rows.map((row) => (timeColumn < 0 ? Number.NaN : toUnixSeconds(row[timeColumn])));
  const usable = times.every((time, index) => Number.isFinite(time) && (index === 0 || time >= times[index - 1]!));
  const follows = previousEnd === undefined || (times[0] ?? 0) > previousEnd;
  const start = previousEnd === undefined ? 0 : previousEnd + 1;
  const timestamps = usable && follows ? times : rows.map((_, index) => start + index);
  const columns = new Map<string, number[]>();
  header.forEach((name, index) => {
    if (index === timeColumn || !name.includes('_')) return;
    columns.set(
      name.trim(),
      rows.map((row) => toSample(row[index])),
    );
  });
  if (columns.size === 0) throw new DatasetError(`${path} has no SERVICE_METRIC column`);
  return { timestamps, columns };
}

function joinTables(normal: Table, anomalous: Table): MetricSeries[] {
  const names = new Set([...normal.columns.keys(), ...anomalous.columns.keys()]);
  const timestamps = [...normal.timestamps, ...anomalous.timestamps];
  const missing = (table: Table): number[] => table.timestamps.map(() => Number.NaN);
  return [...names].map((name) => {
    const { service, metric } = splitColumn(name);
    return {
      service,
      metric,
      timestamps,
      values: [
        ...(normal.columns.get(name) ?? missing(normal)),
        ...(anomalous.columns.get(name) ?? missing(anomalous)),
      ],
    };
  });
}

/** `carts-db_lat-50` is `lat-50` of `carts-db`; a trailing number belongs to the metric (`orders_lat_50`). */
function splitColumn(name: string): { service: string; metric: string } {
  const match = /^(.+)_([^_]*[^_\d][^_]*(?:_\d+)?)$/.exec(name);
  return match === null ? { service: name, metric: '' } : { service: match[1]!, metric: match[2]! };
}

function toUnixSeconds(cell: string | undefined): number {
  const text = cell?.trim() ?? '';
  const value = /^-?[\d.]+(e[+-]?\d+)?$/i.test(text) ? Number(text) : Date.parse(text) / 1000;
  return value > 1e11 ? value / 1000 : value;
}
