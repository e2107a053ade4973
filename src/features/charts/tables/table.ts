/** A table found in a stored tool result. */

export type Cell = string | number | boolean | null;

/**
 * How a column writes times: ISO 8601 text, Common Log Format text, or seconds, milliseconds, microseconds or
 * nanoseconds since 1970.
 */
export type TimeForm = 'iso' | 'clf' | 's' | 'ms' | 'us' | 'ns';

export interface Column {
  name: string;
  type: 'temporal' | 'quantitative' | 'nominal';
  /** For temporal columns. */
  timeForm?: TimeForm;
  /** Such as `s`, if the result or the column's name says it. */
  unit?: string;
  /** What the values measure, if the result says it elsewhere: a metric name, an expression. */
  title?: string;
}

export interface Table {
  /** Unique within its result, such as `series.points`. */
  name: string;
  /** Where in the result its rows are: a JSONPath, or the form of the text. */
  path: string;
  form: 'json' | 'ndjson' | 'delimited' | 'log';
  columns: Column[];
  /** One cell per column, exactly as in the result; null if missing. */
  rows: Cell[][];
  /** For each row, the number of the object it was nested in; absent if rows are not nested. */
  groups?: number[];
  /** The number of rows in the result, which may exceed `rows`. */
  total: number;
  /** The result says, or its end shows, that it is incomplete. */
  partial: boolean;
}

/** How many cells of one result are kept, over all its tables. */
export const MAX_CELLS = 4_000_000;
export const MAX_TABLES = 50;
export const MAX_COLUMNS = 60;
/** A longer name is not a name; its values are dropped. */
export const NAME_CHARACTERS = 200;

/** @returns the finite number a cell is or spells, else undefined */
export function numberOf(cell: Cell | undefined): number | undefined {
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : undefined;
  if (typeof cell !== 'string' || cell.length > 40 || !NUMBER.test(cell)) return undefined;
  const value = Number(cell);
  return Number.isFinite(value) ? value : undefined;
}

// No leading zeros: `007` is an identifier.
const NUMBER = /^\s*[+-]?(?:0|[1-9]\d*)?(?:\.\d+|(?<=\d)\.?)(?:e[+-]?\d{1,3})?\s*$/iu;
