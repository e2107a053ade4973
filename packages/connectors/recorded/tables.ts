/** The CSV files of a recorded incident. */
import { readdir } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { QueryError, type ObservedEdge } from '../connector.ts';
import { readText } from './files.ts';
import { time } from './schema.ts';

/** One column of a metrics file. A missing value is NaN. */
export interface Series {
  service: string;
  metric: string;
  statistic?: string;
  /** Unix seconds, ascending. */
  timestamps: number[];
  values: number[];
}

async function rowsOf(folder: string, name: string, signal: AbortSignal): Promise<string[][]> {
  const text = await readText(folder, name, signal);
  if (text === undefined) return [];
  try {
    return parse(text, { bom: true, skip_empty_lines: true, trim: true });
  } catch (error) {
    throw new QueryError('failed', `${name}: ${error instanceof Error ? error.message : 'is not CSV'}`, {
      cause: error,
    });
  }
}

/** Of metrics.csv and every metrics.PART.csv, in this order. */
export async function readSeries(folder: string, signal: AbortSignal): Promise<Series[]> {
  const names = (await readdir(folder)).filter((name) => /^metrics(?:\.[\w-]+)?\.csv$/.test(name)).sort();
  const series: Series[] = [];
  for (const name of names) series.push(...toSeries(name, await rowsOf(folder, name, signal)));
  return series;
}

function toSeries(name: string, rows: string[][]): Series[] {
  const header = new Map<string, string[]>();
  while (rows[0] && /^(?:service|metric|statistic)$/i.test(rows[0][0] ?? '')) {
    const [kind = '', ...cells] = rows.shift()!;
    header.set(kind.toLowerCase(), cells);
  }
  const services = header.get('service');
  const metrics = header.get('metric');
  if (!services || !metrics) throw new QueryError('failed', `${name} must begin with the rows "service" and "metric"`);
  // Of rows with the same time the last one counts.
  const byTime = new Map<number, string[]>();
  for (const [at = '', ...cells] of rows) byTime.set(timeOf(name, at), cells);
  const sorted = [...byTime].sort(([a], [b]) => a - b);
  const timestamps = sorted.map(([at]) => at);
  return services.map((service, column) => ({
    service,
    metric: metrics[column] ?? '',
    ...(header.get('statistic')?.[column] && { statistic: header.get('statistic')![column] }),
    timestamps,
    values: sorted.map(([, cells]) => valueOf(cells[column])),
  }));
}

function timeOf(name: string, cell: string): number {
  const at = /^\d+(?:\.\d+)?$/.test(cell) ? Number(cell) : time.safeParse(cell).data;
  if (at === undefined) throw new QueryError('failed', `${name}: "${cell.slice(0, 40)}" is not a time`);
  return at;
}

function valueOf(cell: string | undefined): number {
  const value = cell === undefined || cell === '' ? Number.NaN : Number(cell);
  return Number.isFinite(value) ? value : Number.NaN;
}

/** Who calls whom. */
export async function readEdges(folder: string, signal: AbortSignal): Promise<Omit<ObservedEdge, 'source'>[]> {
  const [header = [], ...rows] = await rowsOf(folder, 'edges.csv', signal);
  const column = (name: string): number => header.findIndex((cell) => cell.toLowerCase() === name);
  const callers = column('caller');
  const callees = column('callee');
  const rates = column('calls_per_second');
  if (rows.length > 0 && (callers === -1 || callees === -1))
    throw new QueryError('failed', 'edges.csv must have the columns "caller" and "callee"');
  return rows.map((row) => {
    const rate = valueOf(row[rates]);
    return {
      caller: row[callers] ?? '',
      callee: row[callees] ?? '',
      ...(rate >= 0 && { callsPerSecond: rate }),
    };
  });
}

/** A counter that falls was reset: what it shows is then what was counted since. */
export function ratesOf({ timestamps, values }: Series): number[] {
  let previous = -1;
  return values.map((value, i) => {
    if (Number.isNaN(value)) return Number.NaN;
    const before = previous;
    previous = i;
    if (before === -1) return Number.NaN;
    const increase = value >= values[before]! ? value - values[before]! : value;
    return increase / (timestamps[i]! - timestamps[before]!);
  });
}
