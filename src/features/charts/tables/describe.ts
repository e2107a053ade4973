/** Tables as a model reads about them. */
import { plainText } from '../text.ts';
import { tablesIn } from './find.ts';
import type { Cell, Column, Table } from './table.ts';

const MOST_TABLES = 12;
const MOST_COLUMNS = 20;
const ROWS_SHOWN = 2;
const CELL_CHARACTERS = 60;
const DESCRIPTION_CHARACTERS = 6_000;

interface PresentedTable {
  table: string;
  rows: number;
  columns: string[];
}

/** The names of tables and their columns, for the error of a call that named others. */
export function presentTables(tables: readonly Table[]): PresentedTable[] {
  return tables.slice(0, MOST_TABLES).map((table) => ({
    table: plainText(table.name, 300),
    rows: table.total,
    columns: table.columns.slice(0, MOST_COLUMNS).map(columnText),
  }));
}

/**
 * The tables of a stored tool result for a prompt: names, columns with types and units, and the first rows. It holds
 * words of the result, which were written by others: show it to a model as data only.
 * @returns at most some 6,000 characters; says so when there is no table
 */
export function describeTables(content: string): string {
  const tables = tablesIn(content);
  if (tables.length === 0) return 'There is no table in this result.';
  let text = '';
  for (const [index, table] of tables.entries()) {
    const next = describe(table);
    if (index >= MOST_TABLES || text.length + next.length > DESCRIPTION_CHARACTERS) {
      return `${text}${tables.length - index} more tables: ${tables
        .slice(index, index + MOST_TABLES)
        .map(({ name }) => plainText(name, 60))
        .join(', ')}\n`;
    }
    text += next;
  }
  return text;
}

function describe(table: Table): string {
  const columns = table.columns.slice(0, MOST_COLUMNS);
  const more = table.columns.length > columns.length ? `, and ${table.columns.length - columns.length} more` : '';
  const rows = table.rows.slice(0, ROWS_SHOWN).map((row) => JSON.stringify(columns.map((_, at) => shown(row[at]))));
  return `${[
    `Table "${plainText(table.name, 300)}" (${table.total} rows${table.partial ? ', more were left out of the result' : ''})`,
    `  columns: ${columns.map(columnText).join(', ')}${more}`,
    ...rows.map((row) => `  row: ${row}`),
  ].join('\n')}\n`;
}

function columnText({ name, type, unit, title }: Column): string {
  const about = [type, unit, title === undefined ? undefined : plainText(title, 100)].filter(
    (one) => one !== undefined,
  );
  return `${plainText(name, 100)} (${about.join(', ')})`;
}

function shown(cell: Cell | undefined): Cell {
  return typeof cell === 'string' ? plainText(cell, CELL_CHARACTERS) : (cell ?? null);
}
