/**
 * Finds tables in a tool result. In JSON they are arrays of objects, arrays of tuples such as `[time, value]`, objects
 * whose properties are rows by name, and parallel arrays. Nested rows also get the scalars of the objects around them as
 * columns, so that each point of a series carries its labels.
 */
import { delimitedTable } from './delimited.ts';
import { parseJson, parseJsonLines } from './json-text.ts';
import { logTable } from './log-lines.ts';
import { type Table, NAME_CHARACTERS, numberOf, type Cell } from './table.ts';
import { Drafts, type Entries } from './drafts.ts';
import { isTimeName, timeFormOf } from './times.ts';

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

const MAX_DEPTH = 24;
const FLATTENED_DEPTH = 3;
const MAX_ENTRIES = 60;
const MAX_TUPLE = 40;
const PATH_CHARACTERS = 300;
/** Properties that name what their sibling values measure. */
const MEASURES = ['metric', 'expr', 'query', 'expression'];
/** Properties that name the fields of sibling tuples. */
const FIELDS = ['columns', 'fields', 'headers', 'header'];

interface Place {
  path: string;
  name: string;
  depth: number;
  /** Scalars of enclosing objects, which are rows of other tables. */
  context: Entries;
  measure?: string;
  partial: boolean;
  fields?: string[];
}

type Members = [string, unknown][];

/** @param form how the value was written */
function tablesInJson(value: unknown, form: 'json' | 'ndjson', partial: boolean): Table[] {
  const drafts = new Drafts(form);
  visit(value, { path: '$', name: '', depth: 0, context: [], partial }, drafts);
  return drafts.tables();
}

function visit(value: unknown, place: Place, drafts: Drafts): void {
  if (place.depth > MAX_DEPTH || place.path.length > PATH_CHARACTERS) return;
  if (Array.isArray(value)) visitArray(value, place, drafts);
  else if (isObject(value)) visitObject(membersOf(value), place, drafts);
}

function visitArray(items: readonly unknown[], place: Place, drafts: Drafts): void {
  if (isSample(items)) {
    addTuples([items], place, drafts);
    return;
  }
  const tuples = items.filter(isTuple);
  if (tuples.length > 0) addTuples(tuples, place, drafts);
  const inner = { ...place, path: `${place.path}[*]`, depth: place.depth + 1, fields: undefined };
  const objects = items.filter(isObject);
  if (objects.length > 0) addObjects(objects.map(membersOf), inner, drafts);
  for (const item of items) if (Array.isArray(item) && !isTuple(item)) visit(item, inner, drafts);
}

function visitObject(members: Members, place: Place, drafts: Drafts): void {
  const here = { ...place, ...aboutOf(members, place), depth: place.depth + 1 };
  const inner = { ...here, path: `${place.path}.*`, name: place.name || 'members' };
  if (members.length > 1 && members.every(([, value]) => typeof value === 'number')) {
    const draft = drafts.at(inner);
    if (draft)
      for (const [key, cell] of flatten(members))
        drafts.add(draft, [
          ['key', key],
          ['value', cell],
        ]);
  } else if (areRows(members.map(([, value]) => value))) {
    const rows = members.map(([key, value]): Members => [['key', key], ...membersOf(value)]);
    addObjects(rows, inner, drafts);
  } else if (members.length > 1 && members.every(([, value]) => isSeries(value))) {
    for (const [key, value] of members) visit(value, { ...inner, context: joined([['key', key]], place) }, drafts);
  } else {
    addColumns(members, here, drafts);
    for (const [key, value] of members) visit(value, child(here, key), drafts);
  }
}

/** Objects as rows, and nested arrays as rows of further tables. */
function addObjects(rows: readonly Members[], place: Place, drafts: Drafts): void {
  const draft = drafts.at({ ...place, name: place.name || 'rows' });
  for (const members of rows) {
    const own = flatten(members);
    if (draft && own.length > 0) drafts.add(draft, joined(own, place));
    const here = { ...place, ...aboutOf(members, place), depth: place.depth + 1, context: joined(own, place) };
    for (const [key, value] of members) if (typeof value === 'object') visitNested(value, child(here, key), drafts);
  }
}

/** An object within a row belongs to it; only its arrays are tables. */
function visitNested(value: unknown, place: Place, drafts: Drafts): void {
  if (!isObject(value)) return visit(value, place, drafts);
  if (place.depth > MAX_DEPTH) return undefined;
  const deeper = { ...place, depth: place.depth + 1 };
  for (const [key, member] of membersOf(value)) visitNested(member, child(deeper, key), drafts);
}

function addTuples(tuples: readonly (readonly unknown[])[], place: Place, drafts: Drafts): void {
  const [first = [], second] = tuples;
  const header = second !== undefined && isHeader(first, second);
  const given = header ? first.map(String) : place.fields;
  const names = given?.length === first.length ? given : namesFor(header && second ? second : first);
  const draft = drafts.at({ ...place, path: `${place.path}[*]`, name: place.name || 'rows' });
  if (!draft) return;
  const context = renamed(new Set(names), place);
  for (const tuple of header ? tuples.slice(1) : tuples) {
    const cells = tuple
      .slice(0, MAX_TUPLE)
      .map((item, index) => [names[index] ?? `value ${index}`, cellOf(item)] as const);
    drafts.add(draft, [...cells, ...context]);
  }
}

/** Arrays of equal length, one of them times: columns of one table. */
function addColumns(members: Members, place: Place, drafts: Drafts): void {
  const columns = members.filter((member): member is [string, unknown[]] => {
    const [, value] = member;
    return Array.isArray(value) && value.length > 1 && value.every(isScalar);
  });
  const time = columns.find(([key, value]) => timeFormOf(cellOf(value[0]), isTimeName(key)) !== undefined);
  const beside = columns.filter(([key, value]) => value.length === time?.[1].length && key.length <= NAME_CHARACTERS);
  if (!time || beside.length < 2) return;
  const draft = drafts.at({ ...place, path: `${place.path}[*]`, name: place.name || 'columns' });
  if (!draft) return;
  const context = renamed(new Set(beside.map(([key]) => key)), place);
  for (const index of time[1].keys()) {
    drafts.add(draft, [...beside.map(([key, value]) => [key, cellOf(value[index])] as const), ...context]);
  }
}

/** The scalars of an object and its nested objects, by dotted names. */
function flatten(members: Members, prefix = '', depth = 0, found: [string, Cell][] = []): [string, Cell][] {
  for (const [key, value] of members) {
    const name = `${prefix}${key}`;
    if (found.length >= MAX_ENTRIES || name.length > NAME_CHARACTERS) continue;
    if (isScalar(value)) found.push([name, cellOf(value)]);
    else if (isObject(value) && depth < FLATTENED_DEPTH) flatten(membersOf(value), `${name}.`, depth + 1, found);
  }
  return found;
}

/** An object's own scalars and those around it; on a clash the outer one is prefixed with its table's name. */
function joined(own: Entries, place: Place): Entries {
  return [...own, ...renamed(new Set(own.map(([name]) => name)), place)];
}

function renamed(taken: ReadonlySet<string>, { context, name }: Place): Entries {
  const outer = name.split('.').slice(0, -1).join('.') || 'outer';
  return context.map(([key, cell]) => [taken.has(key) ? `${outer}.${key}` : key, cell] as const);
}

function child(place: Place, key: string): Place {
  const plain = /^[A-Za-z_]\w*$/u.test(key);
  const path = `${place.path}${plain ? `.${key}` : `[${JSON.stringify(key.slice(0, PATH_CHARACTERS))}]`}`;
  return { ...place, path, name: place.name === '' ? key : `${place.name}.${key}` };
}

/** What an object says about the tables in it. */
function aboutOf(members: Members, place: Place): Pick<Place, 'measure' | 'partial' | 'fields'> {
  const said = (keys: readonly string[]): unknown => members.find(([key]) => keys.includes(key))?.[1];
  const measure = said(MEASURES);
  const fields = said(FIELDS);
  const names = Array.isArray(fields) ? fields.map((field) => (isObject(field) ? Object(field).name : field)) : [];
  const named = names.length > 0 && names.every((name) => typeof name === 'string' && name.length <= NAME_CHARACTERS);
  return {
    measure: typeof measure === 'string' ? measure.slice(0, NAME_CHARACTERS) : place.measure,
    partial: place.partial || members.some(([key, value]) => key === 'truncated' && value === true),
    fields: named ? names : undefined,
  };
}

/** Objects with the same kind of content are rows by name rather than parts of one thing. */
function areRows(values: readonly unknown[]): boolean {
  if (values.length < 2 || !values.every(isObject)) return false;
  const [first = [], ...others] = values.map((value) => flatten(membersOf(value)).map(([name]) => name));
  return (
    first.length > 0 &&
    others.every((names) => names.length === first.length && names.every((name) => first.includes(name)))
  );
}

function isSeries(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((item) => Array.isArray(item) && isSample(item));
}

/** One measurement: a time and a number. */
function isSample(items: readonly unknown[]): boolean {
  const [time, value] = items;
  if (items.length !== 2 || !isScalar(time) || !isScalar(value)) return false;
  return timeFormOf(cellOf(time), true) !== undefined && (value === null || numberOf(cellOf(value)) !== undefined);
}

function isTuple(item: unknown): item is unknown[] {
  return Array.isArray(item) && item.length > 1 && item.every(isScalar);
}

function isHeader(first: readonly unknown[], second: readonly unknown[]): boolean {
  const names = first.every((name) => typeof name === 'string' && name !== '' && name.length <= NAME_CHARACTERS);
  if (!names || new Set(first).size !== first.length) return false;
  return (
    first.every((name) => timeFormOf(String(name), false) === undefined) &&
    !second.every((one) => typeof one === 'string')
  );
}

function namesFor(tuple: readonly unknown[]): string[] {
  const isTimed = timeFormOf(cellOf(tuple[0]), true) !== undefined;
  if (!isTimed) return tuple.map((_, index) => `column ${index + 1}`);
  return tuple.map((_, index) => (index === 0 ? 'time' : tuple.length === 2 ? 'value' : `value ${index}`));
}

function cellOf(value: unknown): Cell {
  return isScalar(value) ? value : null;
}

function isScalar(value: unknown): value is Cell {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function membersOf(value: unknown): Members {
  return isObject(value) ? Object.entries(value) : [];
}
