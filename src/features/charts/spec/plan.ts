/** What to draw of a table and how: the request, with sensible defaults. */
import { plainText } from '../text.ts';
import { ChartError, type Aggregate, type ChartRequest, type Mark } from '../request.ts';
import type { Table } from '../tables/index.ts';
import {
  anyTime,
  fieldNamed,
  fieldsOf,
  isWeak,
  kindFields,
  labelField,
  measuresOf,
  nameFields,
  primaryTime,
  type Field,
} from './columns.ts';
import { keyOf } from './keys.ts';
import type { Selection } from './select.ts';

export interface Plan {
  /** Undefined if it depends on the points. */
  mark?: Mark;
  across: 'time' | 'number' | 'category';
  /** One column, or several whose values together name a category. */
  x: Field[];
  /** Number columns; none if rows are counted. */
  y: Field[];
  /** For events, the text column. */
  label?: Field;
  series: Field[];
  /** What all rows are about, if a column says so. */
  subject?: string;
  aggregate?: Aggregate;
  log: boolean;
}

/** Counted rows are distinguished by a few kinds only. */
const MAX_KINDS = 8;
/** More moments than this are counted instead of shown. */
const MAX_SINGLE_EVENTS = 30;

/** @throws {ChartError} if the request names no existing column, or asks for something that cannot be drawn */
export function planOf(table: Table, selection: Selection, request: ChartRequest): Plan {
  const asked = {
    x: request.x === undefined ? undefined : fieldNamed(table, request.x),
    y: request.y === undefined ? undefined : [request.y].flat().map((name) => fieldNamed(table, name)),
    series: request.series === undefined ? undefined : [request.series].flat().map((name) => fieldNamed(table, name)),
  };
  // Numbers that log lines mention are drawn on request; by default lines are counted.
  const isCount = request.aggregate === 'count' || (table.form === 'log' && request.aggregate === undefined);
  const y = asked.y ?? (isCount ? [] : defaultMeasure(table, asked.x));
  const isEvents = request.mark === 'event' || (request.mark === undefined && areEvents(table, selection, request, y));
  if (isEvents) return eventPlan(table, selection, asked);

  const x = asked.x ? [asked.x] : defaultX(table, selection, y);
  const [first] = x;
  if (!first)
    throw new ChartError(`Table "${plainText(table.name, 100)}" has nothing to draw along: name the column x.`);
  const across = acrossOf(first, request);
  const aggregate = request.aggregate ?? (y.length === 0 ? 'count' : undefined);
  checkMeasures(y, aggregate);
  if (y.length === 0 && aggregate !== 'count') {
    throw new ChartError(`Table "${plainText(table.name, 100)}" has no column of numbers; use aggregate "count".`);
  }
  const plan: Plan = {
    mark: request.mark,
    across,
    x,
    y,
    series: asked.series ?? [],
    subject: subjectOf(table, selection),
    aggregate,
    log: request.log ?? false,
  };
  checkMark(plan);
  return asked.series ? plan : { ...plan, series: defaultSeries(table, selection, plan) };
}

function acrossOf(x: Field, { mark, aggregate }: ChartRequest): Plan['across'] {
  if (x.type === 'temporal') return 'time';
  // Bars and merged rows treat each number as a category.
  return x.type === 'quantitative' && mark !== 'bar' && aggregate === undefined ? 'number' : 'category';
}

function checkMeasures(y: readonly Field[], aggregate: Aggregate | undefined): void {
  const other = y.find(({ type }) => type !== 'quantitative');
  if (other && aggregate !== 'count') {
    throw new ChartError(
      `"${plainText(other.name, 100)}" holds no numbers; draw a quantitative column as y, or use aggregate "count".`,
    );
  }
}

function checkMark({ mark, across, log }: Plan): void {
  if (log && (mark === 'bar' || mark === 'area')) {
    throw new ChartError(`A logarithmic scale has no zero for mark "${mark}" to stand on: use mark "line" or "point".`);
  }
  if (across === 'category' && (mark === 'line' || mark === 'area')) {
    throw new ChartError(`Mark "${mark}" needs a time or a number across, not names: use mark "bar", or another x.`);
  }
}

/** Moments without numbers: few enough to label each. */
function areEvents(table: Table, { rows }: Selection, request: ChartRequest, y: readonly Field[]): boolean {
  if (y.length > 0 || request.aggregate !== undefined || rows.length > MAX_SINGLE_EVENTS) return false;
  if (request.x !== undefined && fieldNamed(table, request.x).type !== 'temporal') return false;
  return anyTime(table) !== undefined && labelField(table) !== undefined;
}

function eventPlan(table: Table, selection: Selection, asked: { x?: Field; y?: Field[]; series?: Field[] }): Plan {
  const x = asked.x ?? anyTime(table);
  if (x?.type !== 'temporal') {
    throw new ChartError(`Events need a column of times; table "${plainText(table.name, 100)}" has ${timesOf(table)}.`);
  }
  const label = asked.y?.[0] ?? labelField(table);
  const kinds = kindFields(table).filter((field) => field.index !== label?.index);
  const series = asked.series ?? kinds.filter((field) => isFew(selection, field)).slice(0, 1);
  return { mark: 'event', across: 'time', x: [x], y: [], ...(label && { label }), series, log: false };
}

function timesOf(table: Table): string {
  const times = fieldsOf(table).filter(({ type }) => type === 'temporal');
  return times.length === 0 ? 'none' : times.map(({ name }) => `"${plainText(name, 60)}"`).join(', ');
}

function defaultMeasure(table: Table, x: Field | undefined): Field[] {
  const [first, second] = measuresOf(table).filter(({ index }) => index !== x?.index);
  if (!first) return [];
  // Of number columns alone, the first becomes the x axis of the second.
  if (second && x === undefined && nameFields(table).length === 0 && !anyTime(table)) return [second];
  // A rank or status code is drawn only if there is nothing else, and not over time.
  return isWeak(first) && (primaryTime(table) ?? x?.type === 'temporal') ? [] : [first];
}

function defaultX(table: Table, { rows }: Selection, y: readonly Field[]): Field[] {
  const time = primaryTime(table);
  if (time) return [time];
  const names = nameFields(table).filter(({ index }) => !y.some((field) => field.index === index));
  if (y.length > 0 && names.length > 0) {
    const { key } = keyOf(
      rows,
      names,
      rows.map(() => 0),
      rows.length,
    );
    return key.length > 0 ? key : names.slice(0, 1);
  }
  const any = anyTime(table);
  if (any) return [any];
  const [number] = measuresOf(table).filter(({ index }) => !y.some((field) => field.index === index));
  return names.length > 0 ? names.slice(0, 1) : number ? [number] : [];
}

function defaultSeries(table: Table, selection: Selection, { across, x, y, aggregate }: Plan): Field[] {
  const used = new Set([...x, ...y].map(({ index }) => index));
  const kinds = kindFields(table).filter(({ index }) => !used.has(index));
  if (aggregate === 'count') return kinds.filter((field) => isFew(selection, field)).slice(0, 1);
  if (across === 'category' || aggregate !== undefined) return [];
  const { rows, groups } = selection;
  const names = nameFields(table).filter(({ index }) => !used.has(index));
  if (groups) {
    // What tells apart the objects in which rows are nested tells apart their series.
    const firsts = [...new Map(rows.map((row, index) => [groups[index] ?? 0, row])).values()];
    return keyOf(
      firsts,
      names,
      firsts.map(() => 0),
    ).key;
  }
  const at = x[0]?.index ?? 0;
  const times = new Map<unknown, number>();
  const base = rows.map((row) => {
    const time = row[at] ?? null;
    const id = times.get(time) ?? times.size;
    times.set(time, id);
    return id;
  });
  const { key, unique } = keyOf(rows, names, base, 60);
  // Even if no two rows share a time, one line through different kinds of rows would be meaningless.
  return unique && key.length > 0 ? key : kinds.filter((field) => isFew(selection, field)).slice(0, 1);
}

function isFew({ rows }: Selection, { index }: Field): boolean {
  const values = new Set<unknown>();
  for (const row of rows) {
    values.add(row[index] ?? null);
    if (values.size > MAX_KINDS) return false;
  }
  return values.size > 1 && values.size * 2 <= rows.length;
}

/** The service or host that all rows are about. */
function subjectOf(table: Table, { rows }: Selection): string | undefined {
  const [field] = nameFields(table);
  const value = field && rows[0]?.[field.index];
  return typeof value === 'string' && rows.every((row) => row[field?.index ?? 0] === value) ? value : undefined;
}
