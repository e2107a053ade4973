/** Rows of a database as they go out: values by column, in the order of the columns. */
export interface Table {
  columns: { name: string; type: string }[];
  rows: unknown[][];
  /** There were more rows than were asked for. */
  truncated: boolean;
}

export const DEFAULT_ROWS = 500;
export const MAX_ROWS = 10_000;
