import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { QueryError, type ObservedEdge } from '../connector.ts';
import type { Samples } from './samples.ts';
import { openIncidentFile, readChunks } from './files.ts';

/** Larger files would exceed a worker's memory. */
const MAX_CSV_BYTES = 128 * 1024 * 1024;
const MAX_RECORD_CHARACTERS = 1024 * 1024;

/** One service calls another. */
export type RecordedEdge = Pick<ObservedEdge, 'caller' | 'callee' | 'callsPerSecond'>;

/** One column of a metrics file. The columns of a file share `timestamps`. */
export interface RecordedSeries extends Samples {
  service: string;
  metric: string;
  statistic?: string;
}

/** The rows of a CSV file in an incident folder; every row has as many cells as the first. */
async function* readRows(folder: string, name: string, signal: AbortSignal): AsyncGenerator<string[]> {
  signal.throwIfAborted();
  const file = await openIncidentFile(folder, name);
  if (!file) return;
  try {
    const { size } = await file.stat();
    if (size > MAX_CSV_BYTES)
      throw new QueryError('failed', `${name}: ${size} bytes, at most ${MAX_CSV_BYTES} are read`);
    const parser = parse({ bom: true, skip_empty_lines: true, max_record_size: MAX_RECORD_CHARACTERS });
    pipeline(Readable.from(readChunks(file, signal)), parser, () => {});
    const rows: AsyncIterable<string[]> = parser;
    yield* rows;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CsvError) throw new QueryError('failed', `${name}: ${error.message}`, { cause: error });
    throw error;
  } finally {
    await file.close();
  }
}

/**
 * Reads a metrics file: header rows that begin with `service`, `metric` and optionally `statistic`, then rows of a time
 * and one value per column.
 * @throws {QueryError} naming the unreadable row
 */
export async function readMetricsCsv(folder: string, name: string, signal: AbortSignal): Promise<RecordedSeries[]> {
  const header = new Map<string, string[]>();
  const rows: { at: number; cells: number[] }[] = [];
  let line = 0;
  for await (const row of readRows(folder, name, signal)) {
    line++;
    const [first = '', ...cells] = row;
    const key = first.trim().toLowerCase();
    if (rows.length === 0 && (key === 'service' || key === 'metric' || key === 'statistic')) {
      header.set(key, cells);
      continue;
    }
    if (!header.has('service') || !header.has('metric')) {
      throw new QueryError(
        'failed',
        `${name}: begins with "${first.slice(0, 40)}"; rows "service" and "metric" must come before the values`,
      );
    }
    rows.push({
      at: parseTime(first, () => `${name}: row ${line}`),
      cells: cells.map((cell, i) => parseValue(cell, () => `${name}: row ${line}, column ${i + 2}`)),
    });
  }
  return toSeries(header, rows, name);
}

function toSeries(
  header: Map<string, string[]>,
  rows: { at: number; cells: number[] }[],
  name: string,
): RecordedSeries[] {
  const services = header.get('service') ?? [];
  const metrics = header.get('metric') ?? [];
  const statistics = header.get('statistic') ?? [];
  rows.sort((a, b) => a.at - b.at);
  // Of several rows with the same time, the last counts.
  const unique = rows.filter((row, i) => rows[i + 1]?.at !== row.at);
  const timestamps = unique.map((row) => row.at);
  return services.map((service, column) => {
    const metric = metrics[column]?.trim();
    if (!service.trim() || !metric) {
      throw new QueryError('failed', `${name}: column ${column + 2} names no ${service.trim() ? 'metric' : 'service'}`);
    }
    return {
      service: service.trim(),
      metric,
      statistic: statistics[column]?.trim() || undefined,
      timestamps,
      values: unique.map((row) => row.cells[column]!),
    };
  });
}

/**
 * Reads a file of `caller,callee[,calls_per_second]` rows under that header.
 * @throws {QueryError} naming what is wrong
 */
export async function readEdgesCsv(folder: string, name: string, signal: AbortSignal): Promise<RecordedEdge[]> {
  const edges: RecordedEdge[] = [];
  let header: string[] | undefined;
  for await (const row of readRows(folder, name, signal)) {
    if (!header) {
      header = row.map((cell) => cell.trim().toLowerCase());
      if (!header.includes('caller') || !header.includes('callee')) {
        throw new QueryError('failed', `${name}: the header must name the columns "caller" and "callee"`);
      }
      continue;
    }
    const cell = (column: string) => row[header!.indexOf(column)]?.trim() ?? '';
    const caller = cell('caller');
    const callee = cell('callee');
    if (!caller || !callee) throw new QueryError('failed', `${name}: row ${edges.length + 2} lacks a caller or callee`);
    const rate = parseValue(cell('calls_per_second'), () => `${name}: row ${edges.length + 2}`);
    edges.push({ caller, callee, ...(Number.isFinite(rate) ? { callsPerSecond: rate } : {}) });
  }
  return edges;
}

function parseTime(cell: string, where: () => string): number {
  const text = cell.trim();
  const at = /^\d+(\.\d+)?$/.test(text)
    ? Number(text)
    : /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:?\d\d)$/.test(text)
      ? Date.parse(text) / 1000
      : Number.NaN;
  if (!Number.isFinite(at)) {
    throw new QueryError(
      'failed',
      `${where()}: "${text.slice(0, 40)}" is not a time (unix seconds or ISO 8601 with a zone)`,
    );
  }
  return at;
}

const missing = new Set(['', 'nan', 'null', 'none', 'na', 'n/a', '-', 'inf', '+inf', '-inf', 'infinity', '-infinity']);

function parseValue(cell: string, where: () => string): number {
  const text = cell.trim();
  if (missing.has(text.toLowerCase())) return Number.NaN;
  const value = Number(text);
  if (!Number.isFinite(value)) throw new QueryError('failed', `${where()}: "${text.slice(0, 40)}" is not a number`);
  return value;
}
