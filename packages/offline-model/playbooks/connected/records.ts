/** Reads what a connected system returned, and says records in words: `812 calls, mean 120 ms, total 97 s`. */
import { quantity } from '@casebook/wording';
import { isRecord } from '../calls.ts';
import { parsePartialJson } from '../investigation/partial-json.ts';
import { clip, iso, name, quote } from '../wording.ts';

export type Row = Record<string, unknown>;

/** A list within a result; one without a name is the result itself. */
export interface Section {
  name: string;
  rows: Row[];
}

export interface Answer {
  /** Members beside the lists. */
  facts: Row;
  sections: Section[];
  /** Not all was shown, so the last list may go on. */
  isCut: boolean;
}

const MAX_FACTS = 12;
const SUBJECT_CHARACTERS = 160;
const VALUE_CHARACTERS = 60;
/** Members that say what a record is about, the most telling first. */
const SUBJECTS = [
  'query',
  'text',
  'sql',
  'statement',
  'message',
  'last_message',
  'summary',
  'title',
  'name',
  'table',
  'id',
];

/** @returns undefined if the result is not JSON */
export function answerIn(body: string): Answer | undefined {
  const value = parsePartialJson(body);
  const isCut = !isJson(body);
  if (Array.isArray(value)) return { facts: {}, sections: [{ name: '', rows: rowsIn(value, isCut) }], isCut };
  if (!isRecord(value)) return undefined;
  const table = tableIn(value);
  if (table) return { facts: {}, sections: [{ name: '', rows: table }], isCut: isCut || value['truncated'] === true };
  const lists = Object.entries(value).filter((entry): entry is [string, unknown[]] => isList(entry[1]));
  const sections = lists.map(([key, list], index) => ({
    name: key,
    rows: rowsIn(list, isCut && index === lists.length - 1),
  }));
  const facts = Object.fromEntries(
    Object.entries(value).filter(([key, member]) => !isList(member) && key !== 'truncated'),
  );
  return { facts, sections, isCut: isCut || value['truncated'] === true };
}

const isList = (value: unknown): boolean => Array.isArray(value) && value.every(isRecord);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Values that are no records get a name; the last record may have been cut. */
function rowsIn(list: readonly unknown[], isCut: boolean): Row[] {
  const rows = list.map((one) => (isRecord(one) ? one : { value: one }));
  const [first, last] = [rows[0], rows.at(-1)];
  const isPartial = isCut && first && last && Object.keys(last).length < Object.keys(first).length;
  return isPartial ? rows.slice(0, -1) : rows;
}

/** Columns and rows of a statement's result as records. */
function tableIn({ columns, rows }: Row): Row[] | undefined {
  if (!Array.isArray(columns) || !Array.isArray(rows) || !rows.every(Array.isArray)) return undefined;
  const names = columns.map((column: unknown) => (isRecord(column) ? String(column['name']) : String(column)));
  return rows.map((row: unknown[]) => Object.fromEntries(names.map((column, index) => [column, row[index]])));
}

/** Big integers come as text. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+(?:\.\d+)?$/u.test(value) ? Number(value) : undefined;
}

export function textIn(row: Row, ...keys: string[]): string | undefined {
  return keys.flatMap((key) => {
    const value = row[key];
    return typeof value === 'string' && value.trim() !== ''
      ? [value]
      : typeof value === 'number'
        ? [String(value)]
        : [];
  })[0];
}

/** A record as its subject and facts: `select 1`: 812 calls, mean 120 ms. */
export function recordLine(row: Row): string {
  const subject = subjectOf(row);
  const facts = factsOf(row, subject.keys);
  const said = subject.said === '' ? [] : [subject.said];
  return [...said, ...(facts.length > 0 ? [facts.join(', ')] : [])].join(': ');
}

function subjectOf(row: Row): { said: string; keys: readonly string[] } {
  const key = SUBJECTS.find((one) => typeof row[one] === 'string' && row[one] !== '');
  if (key === undefined) return { said: '', keys: [] };
  return { said: quote(String(row[key]), SUBJECT_CHARACTERS), keys: [key] };
}

/** @param without members that are said already */
export function factsOf(row: Row, without: readonly string[] = []): string[] {
  return Object.entries(row)
    .filter(([key]) => !without.includes(key))
    .flatMap(([key, value]) => fact(key, value) ?? [])
    .slice(0, MAX_FACTS);
}

/** Chosen members, in this order. */
export function chosenFacts(row: Row, keys: readonly string[]): string[] {
  return keys.flatMap((key) => fact(key, row[key]) ?? []);
}

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/_?(?:ms|milliseconds)$/u, 'ms'],
  [/_?seconds$/u, 's'],
  [/_?ratio$/u, 'ratio'],
  [/_?percent$/u, '%'],
];
/** Identifiers are no figures: no commas. */
const plain = new Intl.NumberFormat('en', { maximumFractionDigits: 6, useGrouping: false });
const exact = new Intl.NumberFormat('en', { maximumFractionDigits: 6 });

/** `mean 120 ms`, `812 calls`, `12 MiB on disk`, `user app`; undefined if there is nothing to say. */
export function fact(key: string, value: unknown): string | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  const words = labelOf(key);
  if (typeof value === 'boolean') return `${value ? '' : 'not '}${words.replace(/^(?:is|has) /u, '')}`;
  if (Array.isArray(value)) {
    const items = value.filter((one) => typeof one === 'string' || typeof one === 'number').map(String);
    return items.length === 0 ? undefined : `${words} ${items.slice(0, 5).map(name).join(', ')}`;
  }
  if (typeof value === 'object') return `${words} ${quote(JSON.stringify(value), VALUE_CHARACTERS)}`;
  const figure = numberOf(value);
  // PostgreSQL's for a table that was never analyzed.
  if (key.startsWith('estimated_') && figure !== undefined && figure < 0) return undefined;
  const moment = typeof value === 'number' ? momentOf(key, value) : undefined;
  if (moment !== undefined) return `${words} ${moment}`;
  const measured = figure === undefined ? undefined : measure(key, figure);
  if (measured !== undefined) return measured;
  if (figure !== undefined && isCount(key)) return counted(figure, words);
  if (typeof value === 'number') return `${words} ${plain.format(value)}`;
  return typeof value === 'string' ? `${words} ${name(clip(withoutFraction(value), VALUE_CHARACTERS))}` : undefined;
}

/** Unix seconds or milliseconds, in a member that is named like a time. */
function momentOf(key: string, value: number): string | undefined {
  if (!/(?:^|_)(?:at|time|timestamp|start|end|since|until|seen)$/iu.test(key)) return undefined;
  const milliseconds = value >= 1e9 && value < 1e11 ? value * 1_000 : value >= 1e12 && value < 1e14 ? value : undefined;
  return milliseconds === undefined ? undefined : iso(milliseconds);
}

/** Of a second, in a time. */
const withoutFraction = (text: string): string => text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d+Z$/u, '$1Z');

/** A figure with a unit, which the end of the name gives. */
function measure(key: string, figure: number): string | undefined {
  const bytes = /^(?:(?<before>\w+)_)?bytes(?:_(?<after>\w+))?$/u.exec(key)?.groups;
  if (bytes) {
    const [before, after] = [bytes['before'], bytes['after']].map((part) => part && labelOf(part));
    return [before, quantity(figure, 'bytes'), after].filter(Boolean).join(' ');
  }
  const [ending, unit] = UNITS.find(([end]) => end.test(key)) ?? [];
  if (ending === undefined) return undefined;
  return `${labelOf(key.replace(ending, ''))} ${quantity(figure, unit)}`.trim();
}

/** Such names are of things that are counted: calls, active_parts, rows_read. */
function isCount(key: string): boolean {
  if (/(?:^|_)rows(?:_|$)/u.test(key)) return true;
  return /(?:^|_)[a-z]{2,}[a-rt-z]s$/u.test(key) && !/(?:status|address|previous)$/u.test(key);
}

export function counted(figure: number, plural: string): string {
  return `${exact.format(figure)} ${figure === 1 ? plural.replace(/(?<!s)s$/u, '') : plural}`;
}

/** Members are named by systems, which may name them anything. */
function labelOf(key: string): string {
  return /^[A-Za-z][\w ]{0,40}$/u.test(key) ? key.replaceAll('_', ' ') : quote(key, 40);
}
