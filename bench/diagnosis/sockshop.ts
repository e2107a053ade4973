import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { MetricSeries } from '../../src/features/diagnosis/index.ts';
import { DatasetError, type DiagnosisCase } from './case.ts';
import { listFolders, readCsv, toUnixSeconds } from './csv.ts';
import type { OnUnreadable } from './petshop.ts';
import { columnSeries, joinSeries } from './series.ts';

const refuse: OnUnreadable = (error) => {
  throw error;
};

/**
 * Reads the Sock Shop layout of BARO and RCAEval: `DIR/SERVICE-FAULT/N/{normal,anomalous}.csv` with one
 * `SERVICE_METRIC` column per series and usually a `time` column. There is neither a graph nor an alerting service.
 * The truth is the folder's name without the fault.
 *
 * A file that is missing or malformed is a DatasetError: thrown, or given to `unreadable` and the rest read. Throws
 * DatasetError when the folder holds no case.
 */
export function loadSockShopCases(directory: string, unreadable: OnUnreadable = refuse): DiagnosisCase[] {
  const cases: DiagnosisCase[] = [];
  let found = 0;
  for (const fault of listFolders(directory)) {
    for (const repetition of listFolders(join(directory, fault))) {
      const folder = join(directory, fault, repetition);
      if (!existsSync(join(folder, 'normal.csv')) && !existsSync(join(folder, 'anomalous.csv'))) continue;
      found++;
      try {
        cases.push(loadCase(fault, repetition, folder));
      } catch (error) {
        if (!(error instanceof DatasetError)) throw error;
        unreadable(error);
      }
    }
  }
  if (found === 0)
    throw new DatasetError(`${directory} holds no Sock Shop case (SERVICE-FAULT/N/normal.csv and anomalous.csv)`);
  return cases;
}

function loadCase(fault: string, repetition: string, folder: string): DiagnosisCase {
  const normal = readTable(join(folder, 'normal.csv'), undefined);
  const normalEnd = normal[0]!.timestamps.at(-1)!;
  const anomalous = readTable(join(folder, 'anomalous.csv'), normalEnd);
  const { timestamps } = anomalous[0]!;
  const truth = /^(.+)[-_][^-_]+$/.exec(fault)?.[1];
  return {
    dataset: 'sockshop',
    system: 'sockshop',
    name: `${fault}/${repetition}`,
    input: {
      series: joinSeries(normal, anomalous),
      edges: [],
      baseline: { from: normal[0]!.timestamps[0]!, to: timestamps[0]! },
      incident: { from: timestamps[0]!, to: timestamps.at(-1)! + 1 },
    },
    ...(truth === undefined ? {} : { truth }),
  };
}

/**
 * The series of one table, in order of time. Without a usable `time` column, and where the times do not follow the
 * table before, rows are one second apart.
 */
function readTable(path: string, previousEnd: number | undefined): MetricSeries[] {
  const [header, ...rows] = readCsv(path);
  if (header === undefined || rows.length === 0) throw new DatasetError(`${path} has no samples`);
  const timeColumn = header.findIndex((name) => /^(time|timestamp)$/i.test(name.trim()));
  const timed = rows.map((row) => ({ time: toUnixSeconds(row[timeColumn]), row }));
  const usable = timed.filter(({ time }) => !Number.isNaN(time)).sort((a, b) => a.time - b.time);
  const start = previousEnd === undefined ? 0 : previousEnd + 1;
  const follows = usable.length > 0 && (previousEnd === undefined || usable[0]!.time > previousEnd);
  const samples = follows
    ? usable
    : (usable.length > 0 ? usable : timed).map(({ row }, i) => ({ time: start + i, row }));
  const columns = header.flatMap((name, cell) => {
    const text = name.trim();
    return cell === timeColumn || !text.includes('_') ? [] : [{ ...splitColumn(text), cell }];
  });
  if (columns.length === 0) throw new DatasetError(`${path} has no SERVICE_METRIC column`);
  return columnSeries(columns, samples);
}

/** `carts-db_lat-50` is `lat-50` of `carts-db`; a trailing number belongs to the metric (`orders_lat_50`). */
function splitColumn(name: string): { service: string; metric: string } {
  const match = /^(.+)_([^_]*[^_\d][^_]*(?:_\d+)?)$/.exec(name);
  return match === null ? { service: name, metric: '' } : { service: match[1]!, metric: match[2]! };
}
