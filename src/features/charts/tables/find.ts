import { delimitedTable } from './delimited.ts';
import { parseJson, parseJsonLines } from './json-text.ts';
import { logTable } from './log-lines.ts';
import type { Table } from './table.ts';
import { tablesInJson } from './walk.ts';

/** A cut result ends in a note, which is no part of what was cut. */
const CUT_NOTE = /\n\[cut here: the tool returned [^\n]*\]\s*$/u;

/**
 * Finds the tables in a stored tool result: in JSON, lines of JSON, separated values or log lines. Their cells are those
 * of the result. Whatever else the text is, there is none in it.
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
