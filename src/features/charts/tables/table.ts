/** What a table found in a stored tool result is. */

export type Cell = string | number | boolean | null;

/**
 * How a column's cells write times: as text in ISO 8601, as text of the Common Log Format, or counted since 1970 in
 * seconds, milliseconds, microseconds or nanoseconds.
 */
export type TimeForm = 'iso' | 'clf' | 's' | 'ms' | 'us' | 'ns';

export interface Column {
  name: string;
  type: 'temporal' | 'quantitative' | 'nominal';
  /** Of temporal columns. */
  timeForm?: TimeForm;
  /** Such as `s`, where the result or the column's name says it. */
  unit?: string;
  /** What the values measure, where the result says it elsewhere: the name of a metric, an expression. */
  title?: string;
}

export interface Table {
  /** Unique within its result, such as `series.points`. */
  name: string;
  /** Where in the result its rows are: a JSONPath, or what form of text the result is. */
  path: string;
  form: 'json' | 'ndjson' | 'delimited' | 'log';
  columns: Column[];
  /** One cell for each column, exactly as the result has it; null where it has none. */
  rows: Cell[][];
  /** For each row the number of the object it was nested in; absent where rows are not nested. */
  groups?: number[];
  /** How many rows the result has: more than `rows` when they are over the limit. */
  total: number;
  /** The result says itself, or shows by its end, that there is more than it holds. */
  partial: boolean;
}

/** Most cells that are kept of one result, all its tables together. */
export const MOST_CELLS = 4_000_000;
export const MOST_TABLES = 50;
export const MOST_COLUMNS = 60;
/** A longer name is no name; what it holds is left out. */
export const NAME_CHARACTERS = 200;

/** @returns the finite number a cell is or writes, else undefined */
export function numberOf(cell: Cell | undefined): number | undefined {
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : undefined;
  if (typeof cell !== 'string' || cell.length > 40 || !NUMBER.test(cell)) return undefined;
  const value = Number(cell);
  return Number.isFinite(value) ? value : undefined;
}

// No leading zeros: `007` is an identifier.
const NUMBER = /^\s*[+-]?(?:0|[1-9]\d*)?(?:\.\d+|(?<=\d)\.?)(?:e[+-]?\d{1,3})?\s*$/iu;
