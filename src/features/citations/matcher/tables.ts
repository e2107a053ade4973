/** Tables in text: comma- or tab-separated, Markdown, psql, or aligned columns. */
import type { Table } from './pieces.ts';
import { unitInName, type Unit } from './units.ts';

interface Line {
  start: number;
  end: number;
}

/** A table in a list of lines. */
interface FoundTable {
  table: Table;
  /** Index after its last line. */
  end: number;
  /** How many lines are not rows: the header and its underline. */
  first: number;
}

const LONGEST_LINE = 2_000;

/** Whether a line only underlines: dashes, with crossing signs. */
export const isRule = (line: string): boolean => /^[\s|:+=-]{3,}$/u.test(line) && line.includes('-');

/** The table whose header is the line at an index, if any. */
export function tableAt(content: string, lines: readonly Line[], index: number): FoundTable | undefined {
  const [header, next] = [textAt(content, lines, index), textAt(content, lines, index + 1)];
  if (!header || !next) return undefined;
  const ruled = isRule(next) && (header.includes('|') || / {2}/u.test(header));
  const delimiter =
    header.includes('|') && ruled ? '|' : ['\t', ',', '|'].find((sign) => fieldsAgree(header, next, sign));
  if (delimiter === undefined && !ruled && !isAligned(header, next)) return undefined;
  const first = ruled ? 2 : 1;
  const width = fieldsOf(header, delimiter).length;
  let end = index + first;
  while (end < lines.length && isRow(textAt(content, lines, end), delimiter, width)) end++;
  if (end === index + first || width < 2) return undefined;
  const units = fieldsOf(header, delimiter).map(({ text }) => unitInName(text.trim()));
  return { table: { delimiter, units }, end, first };
}

/** The fields of a row and their positions; a quoted comma separates nothing. */
function fieldsOf(row: string, delimiter: string | undefined): { text: string; start: number; end: number }[] {
  const fields: { text: string; start: number; end: number }[] = [];
  const add = (start: number, end: number): void => {
    fields.push({ text: row.slice(start, end), start, end });
  };
  if (delimiter === undefined) {
    for (const match of row.matchAll(/\S+(?: \S+)*/gu)) add(match.index, match.index + match[0].length);
    return fields;
  }
  let start = 0;
  let quoted = false;
  for (let at = 0; at < row.length; at++) {
    if (row[at] === '"' && delimiter === ',') quoted = !quoted;
    else if (row[at] === delimiter && !quoted) {
      add(start, at);
      start = at + 1;
    }
  }
  add(start, row.length);
  return fields;
}

/** The unit of each number in a row, by its column. */
export function unitsOfFields(row: string, table: Table): { start: number; end: number; unit: Unit | undefined }[] {
  const fields = fieldsOf(row, table.delimiter);
  const known = fields.length === table.units.length;
  return fields.map(({ start, end }, index) => ({ start, end, unit: known ? table.units[index] : undefined }));
}

function textAt(content: string, lines: readonly Line[], index: number): string | undefined {
  const line = lines[index];
  return line && line.end - line.start <= LONGEST_LINE ? content.slice(line.start, line.end) : undefined;
}

/** Two lines with the same number of fields; the first names them. */
function fieldsAgree(header: string, next: string, delimiter: string): boolean {
  if (!header.includes(delimiter)) return false;
  const names = fieldsOf(header, delimiter);
  const areNames = names.every(({ text }) => /^["\s]*[\p{L}_%#$][^=]{0,60}$/u.test(text));
  return areNames && names.length === fieldsOf(next, delimiter).length && (delimiter === '\t' || !/, /u.test(header));
}

/** Columns separated by two or more spaces, under names without digits. */
function isAligned(header: string, next: string): boolean {
  const names = fieldsOf(header.trim(), undefined);
  if (names.length < 3 || fieldsOf(next.trim(), undefined).length < 2) return false;
  const words = header.trim().split(/\s+/u);
  const capital = words.filter((word) => /^[%\p{Lu}][\p{Lu}\d%()/_+-]*$/u.test(word)).length;
  return capital * 2 > words.length || names.every(({ text }) => /^[\p{L}%][\p{L} %()/_-]*$/u.test(text));
}

function isRow(row: string | undefined, delimiter: string | undefined, width: number): boolean {
  if (row === undefined || row.trim() === '') return false;
  const count = fieldsOf(row.trim(), delimiter).length;
  return delimiter === undefined ? count >= 2 : Math.abs(count - width) <= 2 && count >= 2;
}
