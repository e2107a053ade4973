import type { Table } from './table.ts';

/** @returns one object a row, by the columns' names */
export function recordsOf({ columns, rows }: Table): Record<string, unknown>[] {
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]])));
}
