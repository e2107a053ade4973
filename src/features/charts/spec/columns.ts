/** Finds tables and columns by name, and judges what columns are good for. */
import { plainText } from '../text.ts';
import { ChartError } from '../request.ts';
import { isTimeName, type Column, type Table } from '../tables/index.ts';

/** A column and its index in a row. */
export interface Field extends Column {
  index: number;
}

/** Numbers that order or name things rather than measure them. */
const WEAK =
  /(?:^|[._\s-])(?:rank|depth|index|id|ids|line|offset|port|pid|version|evidence|step|status|code|key|number|year|month|day)$|Id$/iu;
const PRIMARY_TIMES = new Set(['time', 'timestamp', 'ts', 't', 'at', 'date', 'datetime', 'when', '@timestamp', 'key']);
const NAMES = ['service', 'name', 'key', 'metric', 'pattern', 'host', 'instance', 'job', 'title', 'caller'];
const LABELS = ['summary', 'message', 'title', 'text', 'msg', 'description', 'event', 'name', 'pattern'];
const KINDS = ['level', 'severity', 'kind', 'service', 'status', 'type', 'code', 'host', 'region', 'source'];

export function fieldsOf(table: Table): Field[] {
  return table.columns.map((column, index) => ({ ...column, index }));
}

/** @throws {ChartError} if no column has that name */
export function fieldNamed(table: Table, name: string): Field {
  const fields = fieldsOf(table);
  const wanted = name.trim().toLowerCase();
  const lower = (field: Field): string => field.name.toLowerCase();
  const exact = fields.find((field) => field.name === name) ?? fields.find((field) => lower(field) === wanted);
  if (exact) return exact;
  const ending = fields.filter((field) => lower(field).endsWith(`.${wanted}`) || field.title?.toLowerCase() === wanted);
  if (ending.length === 1 && ending[0]) return ending[0];
  const names = fields.map((field) => `${plainText(field.name, 100)} (${field.type})`).join(', ');
  const which = ending.length > 1 ? 'names several columns' : 'is not a column';
  throw new ChartError(
    `"${plainText(name, 100)}" ${which} of table "${plainText(table.name, 200)}", which has: ${names}`,
  );
}

/** Measurements come before counts and identifiers. */
export function measuresOf(table: Table): Field[] {
  const numbers = fieldsOf(table).filter(({ type }) => type === 'quantitative');
  return [...numbers.filter((field) => !isWeak(field)), ...numbers.filter(isWeak)];
}

export function isWeak({ name }: Column): boolean {
  return WEAK.test(name);
}

/** The column that says when a row happened, rather than one of several times in it. */
export function primaryTime(table: Table): Field | undefined {
  const times = fieldsOf(table).filter(({ type }) => type === 'temporal');
  const named = times.find(({ name }) => PRIMARY_TIMES.has(name.toLowerCase()));
  if (named) return named;
  const [only] = times;
  return times.length === 1 && only?.index === 0 && !/[._](?:from|to|first|last|onset)$/u.test(only.name)
    ? only
    : undefined;
}

export function anyTime(table: Table): Field | undefined {
  const times = fieldsOf(table).filter(({ type }) => type === 'temporal');
  return primaryTime(table) ?? times.find(({ name }) => isTimeName(name)) ?? times[0];
}

/** Text columns, those that usually name a thing first. */
export function nameFields(table: Table): Field[] {
  return preferred(textFields(table), NAMES);
}

/** Text columns that distinguish kinds of rows, the usual ones first. */
export function kindFields(table: Table): Field[] {
  return preferred(textFields(table), KINDS);
}

/** The column that best says what a row is about. */
export function labelField(table: Table): Field | undefined {
  return preferred(textFields(table), LABELS)[0];
}

/**
 * How telling a chart of a table is: series over time, then numbers by name, then moments.
 * @returns greater is better; 0 if it cannot be drawn
 */
export function telling(table: Table): number {
  const measured = measuresOf(table).some((field) => !isWeak(field));
  const named = textFields(table).length > 0;
  if (table.rows.length < 2) return table.columns.length > 1 ? (primaryTime(table) ? 0.6 : 0.5) : 0;
  if (primaryTime(table) && measured) return 4;
  // Nested rows are details of their owner; numbers by name are often only a summary.
  const nested = table.name.split('.').length - 1;
  if (named && measured) return 3 - nested * 0.1 - (table.path.endsWith('.*') ? 0.9 : 0);
  if (primaryTime(table)) return 2.5;
  if (anyTime(table)) return 2;
  return named ? 1 : 0.5;
}

/**
 * @returns the table of that name, or the most telling one
 * @throws {ChartError} if there is none
 */
export function tableNamed(tables: readonly Table[], name: string | undefined): Table {
  if (name !== undefined) {
    const wanted = name.trim().toLowerCase();
    const found =
      tables.find((table) => table.name === name || table.path === name) ??
      tables.find((table) => table.name.toLowerCase() === wanted);
    if (found) return found;
    const names = tables.slice(0, 20).map((table) => `"${plainText(table.name, 100)}"`);
    throw new ChartError(
      `"${plainText(name, 100)}" is not a table of this result; its tables are: ${names.join(', ')}`,
    );
  }
  const [best] = tables.toSorted((a, b) => telling(b) - telling(a));
  if (!best) throw new ChartError('There is no table in this result: nothing in it can be drawn.');
  return best;
}

function textFields(table: Table): Field[] {
  return fieldsOf(table).filter(({ type }) => type === 'nominal');
}

function preferred(fields: Field[], words: readonly string[]): Field[] {
  const place = ({ name }: Field): number => {
    const index = words.indexOf(name.toLowerCase().split('.').at(-1) ?? '');
    return index < 0 ? words.length : index;
  };
  return fields.toSorted((a, b) => place(a) - place(b));
}
