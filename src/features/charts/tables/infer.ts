/** Infers the type and unit of each column. */
import { MAX_COLUMNS, numberOf, type Cell, type Column, type Table, type TimeForm } from './table.ts';
import { isTimeName, timeFormOf, timeOf } from './times.ts';

/** Raw rows with column names. */
export interface Draft extends Omit<Table, 'columns'> {
  names: string[];
  /** What `value` columns hold, if the result says it next to the rows. */
  measure?: string;
  /** Units known from elsewhere, by column. */
  units?: Map<string, string>;
}

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/(?:^|[_.\s])per[_\s]?sec(?:ond)?$|PerSecond$/u, '/s'],
  [/(?:^|[_.\s])(?:milliseconds|millis|msec|ms)$/iu, 'ms'],
  [/(?:^|[_.\s])(?:microseconds|usec|us)$/iu, 'µs'],
  [/(?:^|[_.\s])(?:nanoseconds|ns)$/iu, 'ns'],
  [/(?:^|[_.\s])(?:seconds|secs?)$/iu, 's'],
  [/(?:^|[_.\s])bytes$/iu, 'B'],
  [/(?:^|[_.\s])(?:percent|percentage|pct)$/iu, '%'],
  [/(?:^|[_.\s])celsius$/iu, '°C'],
];

/** The unit suffix of a name, by the usual conventions: `latency_seconds`, `duration_ms`. */
function unitInName(name: string): string | undefined {
  return UNITS.find(([pattern]) => pattern.test(name))?.[1];
}

/** @returns the table, or undefined if no column has a value */
export function tableOf(draft: Draft): Table | undefined {
  const { name, path, form, names, rows, groups, total, partial } = draft;
  const found = names.map((column, index) => columnOf(column, index, draft));
  const kept = found.flatMap((column, index) => (column ? [{ column, index }] : [])).slice(0, MAX_COLUMNS);
  if (kept.length === 0) return undefined;
  // Rows found before a column first appeared are shorter.
  const whole = kept.length === names.length && rows.every((row) => row.length === names.length);
  const cells = whole ? rows : rows.map((row) => kept.map(({ index }) => row[index] ?? null));
  const columns = kept.map(({ column }) => column);
  return { name, path, form, columns, rows: cells, ...(groups && { groups }), total, partial };
}

function columnOf(name: string, index: number, draft: Draft): Column | undefined {
  const { rows, measure, units } = draft;
  const isValue = /^value(?: \d+)?$/u.test(name);
  const title = isValue ? measure : undefined;
  const time = timeColumn(rows, index, name);
  if (time === 'empty') return undefined;
  if (time !== undefined) return { name, type: 'temporal', timeForm: time };
  if (!isQuantitative(rows, index)) return { name, type: 'nominal' };
  const unit =
    units?.get(name) ??
    (isValue ? (constantOf('unit', draft) ?? unitInName(measure ?? '')) : undefined) ??
    unitInName(name);
  return { name, type: 'quantitative', ...(unit && { unit }), ...(title !== undefined && { title }) };
}

/** The time format all cells of a column share; `empty` if there are no cells. */
function timeColumn(rows: readonly Cell[][], index: number, name: string): TimeForm | 'empty' | undefined {
  const named = isTimeName(name);
  let form: TimeForm | undefined;
  for (const row of rows) {
    const cell = row[index] ?? null;
    if (isMissing(cell)) continue;
    form ??= timeFormOf(cell, named);
    if (form === undefined || timeOf(cell, form) === undefined) return undefined;
  }
  return form ?? 'empty';
}

function isMissing(cell: Cell): boolean {
  return cell === null || cell === '' || (typeof cell === 'number' && !Number.isFinite(cell));
}

function isQuantitative(rows: readonly Cell[][], index: number): boolean {
  let numbers = 0;
  for (const row of rows) {
    const cell = row[index] ?? null;
    if (numberOf(cell) !== undefined) numbers += 1;
    else if (!isMissing(cell) && !(typeof cell === 'string' && NOT_A_NUMBER.test(cell))) return false;
  }
  return numbers > 0;
}

/** Notations of non-numbers, which are missing values among numbers. */
const NOT_A_NUMBER = /^\s*(?:nan|[+-]?inf(?:inity)?|null|none|n\/a|-)\s*$/iu;

/** The text a column has in every row. */
function constantOf(name: string, { names, rows }: Draft): string | undefined {
  const index = names.indexOf(name);
  if (index < 0) return undefined;
  const first = rows[0]?.[index];
  const same = rows.every((row) => row[index] === first);
  return same && typeof first === 'string' && first.length <= 30 ? first : undefined;
}
