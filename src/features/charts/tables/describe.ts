/** Describes tables to a model. */
import { plainText } from '../text.ts';
import type { Column, Table } from './table.ts';

const MAX_TABLES = 12;
const MAX_COLUMNS = 20;

interface PresentedTable {
  table: string;
  rows: number;
  columns: string[];
}

/** Tables and their columns, for the error of a call that named others. */
export function presentTables(tables: readonly Table[]): PresentedTable[] {
  return tables.slice(0, MAX_TABLES).map((table) => ({
    table: plainText(table.name, 300),
    rows: table.total,
    columns: table.columns.slice(0, MAX_COLUMNS).map(columnText),
  }));
}

function columnText({ name, type, unit, title }: Column): string {
  const about = [type, unit, title === undefined ? undefined : plainText(title, 100)].filter(
    (one) => one !== undefined,
  );
  return `${plainText(name, 100)} (${about.join(', ')})`;
}
