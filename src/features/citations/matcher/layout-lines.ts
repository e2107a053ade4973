/** Splits text into pieces: log records, table rows, lines, sentences. */
import { NO_GROUP, type Layout, type Table } from './pieces.ts';
import { sentenceSpans } from './sentences.ts';
import { isRule, tableAt } from './tables.ts';
import { addLine } from './windows.ts';

/** A multi-line record, such as a stack trace, is one piece up to this length. */
const LONGEST_RECORD = 900;
const STAMP = String.raw`[\[(<]?(?:\d{4}[-/]\d{2}[-/]\d{2}|\d{1,2}:\d{2}:\d{2}|\d{2}\/[A-Z][a-z]{2}\/\d{4}|[A-Z][a-z]{2}\s{1,2}\d{1,2}\s\d{2}:\d{2}|\d{10}(?:\d{3})?\b)`;
/** How a log line starts: with a time, perhaps after an address or key. */
const DATED = new RegExp(String.raw`^(?:\S{1,60}\s){0,3}?(?:[\w.-]{1,12}=)?"?${STAMP}|^\{"`, 'u');
/** How a continuation line starts. */
const CONTINUES = /^(?:\s+(?:at\s|\.\.\.|File\s"|\||\^)|\t|Caused by:|\s*\.\.\. \d+ more)/u;
const OPENS_TRACE =
  /^(?:Traceback \(most recent|panic:|thread '|goroutine \d+ \[|Exception in thread|[\w.$]{3,200}(?:Exception|Error)\b)/u;
const LOOKED_AT = 200;
/** Elements of a line up to this length stay together. */
const SHORT_ELEMENT = 60;

interface Line {
  start: number;
  /** Without the line break. */
  end: number;
}

/** Adds the pieces of the text from a position on. */
export function layOutLines(layout: Layout, from: number): void {
  const lines = linesOf(layout.content, from);
  const dated = isDated(layout.content, lines);
  const headings = new Headings(layout);
  let index = 0;
  let blank = true;
  while (index < lines.length) {
    const line = lines[index]!;
    const text = headOf(layout.content, line);
    if (text.trim() === '') {
      blank = true;
      index++;
      continue;
    }
    const table =
      blank || isRuled(layout.content, lines[index + 1]) ? tableAt(layout.content, lines, index) : undefined;
    if (table) {
      addTable(layout, lines.slice(index, table.end), headings.above(0), table.table, table.first);
      index = table.end;
      continue;
    }
    blank = false;
    const wrapped = dated ? index : paragraphEnd(layout.content, lines, index);
    if (wrapped > index + 1) {
      const span = { start: line.start, end: lines[wrapped - 1]!.end };
      addSentences(layout, span, headings.above(indentOf(text), text));
      index = wrapped;
      continue;
    }
    const end = recordEnd(layout.content, lines, index, dated);
    if (end > index + 1) addRecord(layout, lines.slice(index, end), headings.above(indentOf(text)));
    else addSingle(layout, line, text, headings);
    index = end;
  }
}

const isRuled = (content: string, next: Line | undefined): boolean =>
  next !== undefined && isRule(headOf(content, next));

function linesOf(content: string, from: number): Line[] {
  const lines: Line[] = [];
  let start = from;
  while (start < content.length) {
    const found = content.indexOf('\n', start);
    const end = found < 0 ? content.length : found;
    lines.push({ start, end });
    start = end + 1;
  }
  return lines;
}

const headOf = (content: string, { start, end }: Line): string =>
  content.slice(start, Math.min(end, start + LOOKED_AT));

const indentOf = (text: string): number => text.length - text.trimStart().length;

/** Whether this is a log whose records start with a time; then lines without one continue the previous record. */
function isDated(content: string, lines: readonly Line[]): boolean {
  let [dated, all] = [0, 0];
  for (const line of lines.slice(0, 400)) {
    const text = headOf(content, line);
    if (text.trim() === '' || CONTINUES.test(text)) continue;
    all += 1;
    if (DATED.test(text)) dated += 1;
  }
  return dated >= 2 && dated * 3 >= all;
}

/** @returns the index after the last line of the record that starts here */
function recordEnd(content: string, lines: readonly Line[], from: number, dated: boolean): number {
  const trace = OPENS_TRACE.test(headOf(content, lines[from]!).trim());
  let end = from + 1;
  for (; end < lines.length; end++) {
    const text = headOf(content, lines[end]!);
    if (CONTINUES.test(text)) continue;
    if (DATED.test(text)) break;
    if (!dated && !(trace && text.trim() !== '' && /^(?:\s|[\w.*()/$]+[(:])/u.test(text))) break;
  }
  // A trailing blank line belongs to no record.
  while (end > from + 1 && headOf(content, lines[end - 1]!).trim() === '') end--;
  return end;
}

/** A short record is one piece; in a long one each line is, labelled by its first line. */
function addRecord(layout: Layout, lines: readonly Line[], parent: number): void {
  const [first, last] = [lines[0]!, lines.at(-1)!];
  if (last.end - first.start <= LONGEST_RECORD) {
    layout.add(first.start + indentOf(headOf(layout.content, first)), last.end, parent, 'text');
    return;
  }
  addLine(layout, first.start, first.end, parent, 'text');
  const label = { start: first.start, end: Math.min(first.end, first.start + LOOKED_AT) };
  const group = layout.addGroup({ parent, labels: [label], form: 'text' });
  for (const { start, end } of lines.slice(1)) addLine(layout, start, end, group, 'text');
}

function addTable(layout: Layout, lines: readonly Line[], parent: number, table: Table, first: number): void {
  // The header only labels the rows.
  const group = layout.addGroup({ parent, labels: [lines[0]!], form: 'text', table });
  for (const { start, end } of lines.slice(first)) addLine(layout, start, end, group, 'row');
}

function addSingle(layout: Layout, line: Line, text: string, headings: Headings): void {
  const group = headings.above(indentOf(text), text);
  const { content } = layout;
  // A line with a time is one record, however many sentences it has, unless it is long.
  const isRecord = DATED.test(text) || (line.end - line.start < LOOKED_AT && /\d:\d{2}/u.test(text));
  const prose =
    !isRecord && /[\p{L})"”][.!?。！？]["”)]?(?:\s+[\p{Lu}"“]|[^\s\w])/u.test(content.slice(line.start, line.end));
  if (prose) addSentences(layout, line, group);
  else if (/^\s*<[\w!?/]/u.test(text)) addElements(layout, line, group);
  else addLine(layout, line.start, line.end, group, 'text');
  headings.note(line, text);
}

function addSentences(layout: Layout, text: Line, group: number): void {
  for (const { start, end } of sentenceSpans(layout.content.slice(text.start, text.end))) {
    addLine(layout, text.start + start, text.start + end, group, 'text');
  }
}

/** Splits XML and HTML without line breaks before each tag, unless the line is short. */
function addElements(layout: Layout, line: Line, group: number): void {
  let start = line.start;
  const text = layout.content.slice(line.start, line.end);
  for (const { index } of text.length > SHORT_ELEMENT ? text.matchAll(/>(?=\s{0,20}<\w)/gu) : []) {
    addLine(layout, start, line.start + index + 1, group, 'text');
    start = line.start + index + 1;
  }
  addLine(layout, start, line.end, group, 'text');
}

/** @returns the index after the last line of a wrapped paragraph; the next one if there is none */
function paragraphEnd(content: string, lines: readonly Line[], from: number): number {
  let end = from + 1;
  while (end < lines.length && isWrapped(headOf(content, lines[end - 1]!), headOf(content, lines[end]!))) end++;
  // Without a full stop it is a list.
  return /[.!?]["”)]?(?:\s|$)/u.test(content.slice(lines[from]!.start, lines[end - 1]!.end)) ? end : from + 1;
}

/** Whether a sentence continues on the next line. */
function isWrapped(text: string, next: string): boolean {
  if (text.length < 30 || text.length >= LOOKED_AT || DATED.test(text) || /[=|{}<>\t]|: /u.test(text)) return false;
  const goesOn = /[\p{L}\p{N},’')]\s?$/u.test(text) && /^ {0,3}[\p{L}\p{N}(“"`]/u.test(next);
  return goesOn && text.trim().split(/\s+/u).length >= 5 && !/^ {0,3}\d{1,3}[.)]\s/u.test(next);
}

/** The lines that label later ones: headings, and keys of indented text such as YAML. */
class Headings {
  readonly #layout: Layout;
  readonly #open: { indent: number; group: number }[] = [];

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  /** The group of a line with this indentation. */
  above(indent: number, text = ''): number {
    const depth = levelOf(text) ?? indent;
    while (this.#open.length > 0 && this.#open.at(-1)!.indent >= depth) this.#open.pop();
    return this.#open.at(-1)?.group ?? NO_GROUP;
  }

  note(line: Line, text: string): void {
    const level = levelOf(text);
    const opens = level !== undefined || /^\s*(?:-\s.{0,150}|["\w./ -]{1,80}:)\s*$/u.test(text);
    if (!opens) return;
    const label = { start: line.start, end: Math.min(line.end, line.start + LOOKED_AT) };
    const group = this.#layout.addGroup({
      parent: this.#open.at(-1)?.group ?? NO_GROUP,
      labels: [label],
      form: 'text',
    });
    this.#open.push({ indent: level ?? indentOf(text), group });
  }
}

/** The indentation of a heading: below any other, so that everything up to the next heading is under it. */
function levelOf(text: string): number | undefined {
  const marks = /^(#{1,6})\s/u.exec(text)?.[1]?.length;
  if (marks !== undefined) return marks - 10;
  return /^\[[\w .:-]{1,60}\]\s*$/u.test(text) ? -1 : undefined;
}
