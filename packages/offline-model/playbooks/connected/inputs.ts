/** A tool's input, as far as a question gives it. */
import { isRecord } from '../calls.ts';
import { quotedIn, withoutQuotes } from '../reading.ts';
import { mentions } from '../investigation/words.ts';
import { iso } from '../wording.ts';
import type { ConnectedTool } from './catalogue.ts';

/** What a question says that a tool may need. */
export interface Asked {
  text: string;
  /** Unix milliseconds. */
  now: number;
  statement?: string;
  /** How far back a tool reads that has to be told, ms; an hour by default. */
  usualMs?: number;
}

const MINUTE = 60_000;
const PERIODS: readonly (readonly [RegExp, number])[] = [
  [/^min/iu, MINUTE],
  [/^h/iu, 60 * MINUTE],
  [/^day|^d$/iu, 24 * 60 * MINUTE],
  [/^week/iu, 7 * 24 * 60 * MINUTE],
];
const USUAL_MS = 60 * MINUTE;
const USUAL_LIMIT = 20;

const LIMIT = /^(?:limit|max_rows|max_results|top|count|page_size|per_page)$/u;
const FROM = /^(?:from|start|since|after|begin|start_time|from_time)$/u;
const TO = /^(?:to|end|until|before|end_time|to_time)$/u;
const LENGTHS: Readonly<Record<string, number>> = {
  since_seconds: 1_000,
  seconds: 1_000,
  minutes: MINUTE,
  since_minutes: MINUTE,
  hours: 60 * MINUTE,
  days: 24 * 60 * MINUTE,
};
/** What people say before a member's value instead of its name. */
const LABELS: Readonly<Record<string, string>> = { table: String.raw`table|describe(?:\s+table)?|columns (?:of|in)` };
const STATEMENT = /^(?:sql|statement|query)$/u;

/** How many a question asks for: “the 3 slowest”. */
export function wantedIn(text: string): number | undefined {
  const said =
    /\b(?:top|first|slowest|largest|biggest|newest|last|latest)\s+(\d{1,3})\b(?! ?(?:min|h|d|s|week|sec))|\b(\d{1,3})\s+(?:slowest|largest|biggest|most|newest|latest|top|longest)\b/iu.exec(
      text,
    );
  const wanted = Number(said?.[1] ?? said?.[2]);
  return wanted > 0 ? wanted : undefined;
}

/** How far back a question goes, ms: “in the last 2 hours”. */
function periodIn(text: string): number | undefined {
  const [, figure = '1', unit = ''] =
    /\b(?:last|past|previous)\s+(\d{1,4})?\s*(minutes?|mins?|hours?|h|days?|d|weeks?)\b/iu.exec(text) ?? [];
  const one = PERIODS.find(([said]) => said.test(unit))?.[1];
  if (one !== undefined) return Number(figure) * one;
  return /\b(?:today|yesterday)\b/iu.test(text) ? 24 * 60 * MINUTE : undefined;
}

/**
 * What a tool is called with. Times and limits that it does not require are given if the question states them.
 * @returns the required members that the question does not give, if any
 */
export function inputFor(
  { schema }: ConnectedTool,
  asked: Asked,
): { input: Record<string, unknown>; missing: string[] } {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const input: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(properties), ...required])) {
    const property = properties[key];
    const value = valueOf(key, isRecord(property) ? property : {}, required.includes(key), asked);
    if (value !== undefined) input[key] = value;
  }
  const missing = required.filter((key) => input[key] === undefined);
  const [only, ...others] = missing;
  const [quoted] = quotedIn(asked.text);
  if (only === undefined || others.length > 0 || quoted === undefined || !isText(properties[only]))
    return { input, missing };
  return { input: { ...input, [only]: quoted }, missing: [] };
}

/** `2026-11-20T08:00:00Z to 2026-11-20T09:00:00Z`, if the input says what is read. */
export function periodOf(input: Record<string, unknown>): string | undefined {
  const [from, to] = [FROM, TO].map((named) => Object.entries(input).find(([key]) => named.test(key))?.[1]);
  const said = (at: unknown): string => (typeof at === 'number' ? iso(at * 1_000) : String(at));
  return from === undefined || to === undefined ? undefined : `${said(from)} to ${said(to)}`;
}

function valueOf(key: string, property: Record<string, unknown>, isRequired: boolean, asked: Asked): unknown {
  const { text, now, statement, usualMs = USUAL_MS } = asked;
  if (STATEMENT.test(key)) return statement;
  if (LIMIT.test(key)) {
    const wanted = wantedIn(text) ?? (isRequired ? USUAL_LIMIT : undefined);
    return wanted === undefined ? undefined : Math.min(wanted, Number(property['maximum'] ?? wanted));
  }
  const period = periodIn(text) ?? (isRequired ? usualMs : undefined);
  const length = Object.hasOwn(LENGTHS, key) ? LENGTHS[key] : undefined;
  if (length !== undefined) return period === undefined ? undefined : Math.max(1, Math.round(period / length));
  if (FROM.test(key)) return period === undefined ? undefined : momentFor(property, now - period);
  if (TO.test(key)) return period === undefined ? undefined : momentFor(property, now);
  return isRequired ? named(key, property, text) : undefined;
}

/** A number is unix seconds, as our own operations take it; a text is ISO 8601. */
function momentFor(property: Record<string, unknown>, at: number): number | string | undefined {
  if (!(at > 0)) return undefined;
  return property['type'] === 'string' ? iso(at) : Math.floor(at / 1_000);
}

/** One of the allowed values, or the word after the member's name: “table public.orders”. */
function named(key: string, property: Record<string, unknown>, text: string): string | undefined {
  const values = Array.isArray(property['enum']) ? property['enum'].filter((one) => typeof one === 'string') : [];
  if (values.length > 0) return values.find((value) => mentions(withoutQuotes(text), value));
  if (!isText(property)) return undefined;
  if (!/^\w+$/u.test(key)) return undefined;
  const label = LABELS[key] ?? key.replace(/_(?:id|name)$/u, '').replaceAll('_', '[ _-]');
  const [, word] =
    new RegExp(
      String.raw`\b(?:${label})(?:\s+(?:is|named|called))?[\s:=]+["'“]?([\p{L}\d_][\p{L}\d_.:/-]*)`,
      'iu',
    ).exec(text) ?? [];
  return word === undefined || /^(?:of|in|on|from|for|is|are|and|or|the|with|by|to|have|has|does)$/iu.test(word)
    ? undefined
    : word.replace(/[.:/-]+$/u, '');
}

const isText = (property: unknown): boolean => isRecord(property) && property['type'] === 'string';
