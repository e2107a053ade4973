/** Selects the rows of a table that a request asks for. */
import { plainText } from '../text.ts';
import { ChartError, type ChartRequest } from '../request.ts';
import { numberOf, requestedTime, timeOf, type Cell, type Table } from '../tables/index.ts';
import { fieldNamed, type Field } from './columns.ts';

type Filter = NonNullable<ChartRequest['filter']>[number];
type Value = string | number | boolean;

export interface Selection {
  rows: Cell[][];
  /** For each row, the object it was nested in, if rows are nested. */
  groups?: number[];
}

/** @throws {ChartError} if a filter names no column, cannot be parsed, or leaves nothing */
export function select(table: Table, filters: readonly Filter[]): Selection {
  const tests = filters.map((filter) => testOf(table, filter));
  if (tests.length === 0) return { rows: table.rows, groups: table.groups };
  const rows: Cell[][] = [];
  const groups: number[] = [];
  for (const [index, row] of table.rows.entries()) {
    if (!tests.every((test) => test(row))) continue;
    rows.push(row);
    groups.push(table.groups?.[index] ?? 0);
  }
  if (rows.length === 0)
    throw new ChartError(`No row of "${plainText(table.name, 100)}" matches. ${valuesOf(table, filters)}`);
  return { rows, groups: table.groups && groups };
}

/** Describes a filter. */
export function filterText({ column, equals, from, to }: Filter): string {
  const name = plainText(column, 60);
  const values = equals === undefined ? [] : [equals].flat();
  return [
    ...(values.length > 0
      ? [`${name} is ${plainText(values.slice(0, 5).join(' or '), 80)}${values.length > 5 ? ' …' : ''}`]
      : []),
    ...(from === undefined ? [] : [`${name} from ${plainText(String(from), 40)}`]),
    ...(to === undefined ? [] : [`${name} to ${plainText(String(to), 40)}`]),
  ].join(', ');
}

function testOf(table: Table, { column, equals, from, to }: Filter): (row: Cell[]) => boolean {
  const field = fieldNamed(table, column);
  if (equals === undefined && from === undefined && to === undefined) {
    throw new ChartError(`The filter of "${plainText(column, 100)}" needs equals, from or to.`);
  }
  const wanted = equals === undefined ? undefined : [equals].flat();
  const least = from === undefined ? -Infinity : bound(field, from);
  const most = to === undefined ? Infinity : bound(field, to);
  const bounded = from !== undefined || to !== undefined;
  return (row) => {
    const cell = row[field.index] ?? null;
    if (wanted && !wanted.some((value) => isEqual(field, cell, value))) return false;
    if (!bounded) return true;
    const value = measured(field, cell);
    return value !== undefined && value >= least && value <= most;
  };
}

function isEqual(field: Field, cell: Cell, value: Value): boolean {
  if (cell === null) return false;
  if (String(cell) === String(value)) return true;
  if (field.type === 'nominal' || typeof value === 'boolean') return false;
  const wanted = field.type === 'temporal' ? requestedTime(value) : numberOf(value);
  return wanted !== undefined && measured(field, cell) === wanted;
}

function bound(field: Field, value: string | number): number {
  if (field.type === 'nominal') {
    throw new ChartError(`"${plainText(field.name, 100)}" holds text: filter it by equals, not by from and to.`);
  }
  const found = field.type === 'temporal' ? requestedTime(value) : numberOf(value);
  if (found !== undefined) return found;
  const what = field.type === 'temporal' ? 'a time; use ISO 8601 such as 2026-03-01T14:05:00Z' : 'a number';
  throw new ChartError(`"${plainText(String(value), 60)}" is not ${what}.`);
}

function measured(field: Field, cell: Cell): number | undefined {
  return field.type === 'temporal' ? timeOf(cell, field.timeForm ?? 'iso') : numberOf(cell);
}

/** The columns and values to filter by. */
function valuesOf(table: Table, filters: readonly Filter[]): string {
  return filters
    .map(({ column }) => {
      const field = fieldNamed(table, column);
      const all = new Set(table.rows.map((row) => row[field.index] ?? null));
      const some = [...all].slice(0, 12).map((cell) => plainText(String(cell), 60));
      return `"${plainText(field.name, 60)}" has ${all.size} values: ${some.join(', ')}${all.size > 12 ? ', …' : ''}.`;
    })
    .join(' ');
}
