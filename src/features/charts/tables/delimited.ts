/** Tables of comma-, tab- or otherwise separated values. */
import { CsvError, parse } from 'csv-parse/sync';
import { MAX_CELLS, NAME_CHARACTERS, numberOf, type Cell } from './table.ts';
import { tableOf, type Draft } from './infer.ts';
import { linesOf } from './json-text.ts';
import { timeFormOf } from './times.ts';
import type { Table } from './table.ts';

const DELIMITERS = [',', '\t', ';', '|'] as const;
const LINES_LOOKED_AT = 20;
const HEAD_CHARACTERS = 64_000;
const MAX_FIELDS = 200;

/** @returns the table, or undefined if the text is not one or has nothing to draw */
export function delimitedTable(text: string): Table | undefined {
  const delimiter = delimiterOf(headOf(text));
  if (delimiter === undefined) return undefined;
  const records = recordsOf(text, delimiter);
  const [first, second] = records;
  if (!first || !second) return undefined;
  const header = isHeader(first);
  const body = header ? records.slice(1) : records;
  const names = header ? first.map((name) => name.trim()) : first.map((_, index) => `column ${index + 1}`);
  const rows = body.filter((record) => record.length === names.length);
  if (rows.length < body.length * 0.9) return undefined;
  const total = rows.length;
  const kept: Cell[][] = rows.slice(0, Math.floor(MAX_CELLS / names.length));
  const draft: Draft = { name: 'rows', path: 'rows', form: 'delimited', names, rows: kept, total, partial: false };
  const table = tableOf({ ...draft, partial: rows.length < body.length });
  // All text is more likely prose with commas; without a header only numbers prove a table.
  const drawable = table?.columns.some(({ type }) => type === 'quantitative' || (header && type === 'temporal'));
  return drawable ? table : undefined;
}

/** The first lines, none of them truncated. */
function headOf(text: string): string {
  const head = text.slice(0, HEAD_CHARACTERS);
  return head.length < text.length ? head.slice(0, Math.max(0, head.lastIndexOf('\n'))) : head;
}

/** The delimiter that splits the first lines into equally many fields; the one with most fields if several do. */
function delimiterOf(head: string): string | undefined {
  const sample = [...linesOf(head)].slice(0, LINES_LOOKED_AT);
  if (sample.length < 2) return undefined;
  const candidates = DELIMITERS.map((delimiter) => {
    const counts = sample.map((line) => fieldsIn(line, delimiter));
    const fields = counts[0] ?? 0;
    return { delimiter, fields: counts.every((count) => count === fields) ? fields : 0 };
  }).filter(({ fields }) => fields >= 2 && fields <= MAX_FIELDS);
  return candidates.sort((a, b) => b.fields - a.fields)[0]?.delimiter;
}

function fieldsIn(line: string, delimiter: string): number {
  let fields = 1;
  let quoted = false;
  for (const character of line) {
    if (character === '"') quoted = !quoted;
    else if (character === delimiter && !quoted) fields += 1;
  }
  return fields;
}

function recordsOf(text: string, delimiter: string): string[][] {
  try {
    return parse(text, {
      delimiter,
      bom: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      skip_records_with_error: true,
      max_record_size: 1_000_000,
    });
  } catch (error) {
    if (error instanceof CsvError) return [];
    throw error;
  }
}

function isHeader(record: readonly string[]): boolean {
  const names = record.map((cell) => cell.trim());
  const isName = (cell: string): boolean =>
    cell !== '' &&
    cell.length <= NAME_CHARACTERS &&
    numberOf(cell) === undefined &&
    timeFormOf(cell, false) === undefined;
  return names.every(isName) && new Set(names).size === names.length;
}
