import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { DatasetError } from './case.ts';

/** All rows of a CSV file as text. Throws DatasetError naming the file when it is missing or malformed. */
export function readCsv(path: string): string[][] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new DatasetError(`cannot read ${path}: ${String(error)}`);
  }
  try {
    return parse(text, { bom: true, skip_empty_lines: true, relax_column_count: true });
  } catch (error) {
    throw new DatasetError(`${path} is not valid CSV: ${String(error)}`);
  }
}

/** An empty or non-numeric cell is a missing sample. */
export function toSample(cell: string | undefined): number {
  const text = cell?.trim() ?? '';
  if (text === '') return Number.NaN;
  const value = Number(text);
  return Number.isFinite(value) ? value : Number.NaN;
}

/** A time as unix seconds or milliseconds, whole or not, or in ISO 8601 (UTC unless it says otherwise); else NaN. */
export function toUnixSeconds(cell: string | undefined): number {
  const text = cell?.trim() ?? '';
  const value = toSample(text);
  if (!Number.isNaN(value)) return value > 1e11 ? value / 1000 : value;
  const zoned = /(z|[+-]\d\d:?\d\d)$/i.test(text) || !/\d:\d/.test(text) ? text : `${text}Z`;
  return Date.parse(zoned) / 1000;
}

/** Names of the folders in a folder, sorted with numbers in order (`issue_2` before `issue_10`). */
export function listFolders(path: string): string[] {
  if (!existsSync(path) || !statSync(path).isDirectory()) {
    throw new DatasetError(`${path} is not a folder`);
  }
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => statSync(join(path, entry.name)).isDirectory())
    .map((entry) => entry.name)
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}
