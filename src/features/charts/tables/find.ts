import { delimitedTable } from './delimited.ts';
import { parseJson, parseJsonLines } from './json-text.ts';
import { logTable } from './log-lines.ts';
import type { Table } from './table.ts';
import { tablesInJson } from './walk.ts';

/** A truncated result ends in a note that is not part of it. */
const CUT_NOTE = /\n\[cut here: the tool returned [^\n]*\]\s*$/u;

/**
 * Finds the tables in a stored tool result: in JSON, JSON lines, separated values or log lines. Cells are exactly those
 * of the result. Any other text has none.
 */
export function tablesIn(content: string): Table[] {
  const text = content.replace(CUT_NOTE, '');
  const isCut = text.length < content.length;
  const tables = found(text, isCut);
  return isCut ? tables.map((table) => ({ ...table, partial: true })) : tables;
}

function found(text: string, isCut: boolean): Table[] {
  const value = parseJson(text);
  if (value !== undefined) return tablesInJson(value, 'json', isCut);
  const lines = parseJsonLines(text);
  if (lines) return tablesInJson(lines.objects, 'ndjson', lines.partial);
  const table = delimitedTable(text) ?? logTable(text);
  return table ? [table] : [];
}
