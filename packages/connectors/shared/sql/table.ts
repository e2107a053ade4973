/** Rows in an answer: values by column, in the order of the columns. */
export interface Table {
  columns: { name: string; type: string }[];
  rows: unknown[][];
  /** More rows exist than were requested. */
  truncated: boolean;
}

export const DEFAULT_ROWS = 500;
export const MAX_ROWS = 10_000;

/** @returns one object per row, keyed by column name */
export function recordsOf({ columns, rows }: Table): Record<string, unknown>[] {
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]])));
}
