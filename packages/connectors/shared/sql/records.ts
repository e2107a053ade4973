import type { Table } from './table.ts';

/** @returns one object per row, keyed by column name */
export function recordsOf({ columns, rows }: Table): Record<string, unknown>[] {
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]])));
}
