/** Turns selected rows into points: every value is a cell, or an aggregate of cells. */
import { downsample } from '../../tools/index.ts';
import { ChartError, type Aggregate } from '../request.ts';
import { isoOf, numberOf, timeOf, type Cell } from '../tables/index.ts';
import type { Field } from './columns.ts';
import { Labels, nameOf } from './labels.ts';
import type { Plan } from './plan.ts';
import type { Selection } from './select.ts';

export interface Point {
  /** Milliseconds since 1970, a number, or a category name. */
  x: number | string;
  y: number | null;
}

export interface Series {
  name: string;
  points: Point[];
}

interface Points {
  series: Series[];
  /** The bucket width in milliseconds. */
  bucket?: number;
  /** Rows without a time or number. */
  skipped: number;
  /** Numbers that no axis can represent. */
  extreme: number;
}

const SERIES_CHARACTERS = 60;
const CATEGORY_CHARACTERS = 60;
/** Up to this many distinct times, rows are aggregated per time without buckets. */
const MAX_EXACT_TIMES = 300;
const BUCKETS = 60;
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000] as const;
const BUCKET_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 28].map((n) => n * DAY),
];

/** The points of each series, in order of first appearance, rows in order within it. */
export function pointsOf({ rows }: Selection, plan: Plan): Points {
  const xOf = positions(plan);
  const series = new Map<string, Series>();
  const names = new Labels(SERIES_CHARACTERS);
  const isOne = plan.series.length === 0 && plan.y.length < 2;
  let skipped = 0;
  let extreme = 0;
  const measures: (Field | undefined)[] = plan.y.length === 0 || plan.aggregate === 'count' ? [undefined] : plan.y;
  for (const row of rows) {
    const x = xOf(row);
    if (x === undefined) skipped += 1;
    else {
      for (const measure of measures) {
        const name = isOne ? '' : names.of(seriesName(row, plan, measure));
        const value = measure ? (numberOf(row[measure.index]) ?? null) : 1;
        const drawable = value === null || isDrawable(value);
        if (!drawable) extreme += 1;
        const point = { x, y: drawable ? value : null };
        const one = series.get(name);
        if (one) one.points.push(point);
        else series.set(name, { name, points: [point] });
      }
    }
  }
  const found = [...series.values()];
  if (found.every(({ points }) => points.every(({ y }) => y === null))) {
    throw new ChartError('The rows have no numbers to draw.');
  }
  return { ...(plan.aggregate ? aggregated(found, plan, plan.aggregate) : { series: found }), skipped, extreme };
}

/** Axes compute differences and powers of ten, which overflow long before the numbers do. */
function isDrawable(value: number): boolean {
  const size = Math.abs(value);
  return value === 0 || (size >= 1e-100 && size <= 1e100);
}

/** Whether a series has several points at one x, so that no line can connect them. */
export function hasDuplicates(series: readonly Series[]): boolean {
  return series.some(({ points }) => new Set(points.map(({ x }) => x)).size < points.length);
}

/**
 * At most `limit` points over all series. Each series keeps its lows and highs; short series stay whole.
 * @param series sorted by x
 */
export function thinned(series: readonly Series[], limit: number): Series[] {
  let room = limit;
  let left = series.length;
  const shares = new Map<Series, number>();
  for (const one of series.toSorted((a, b) => a.points.length - b.points.length)) {
    const share = Math.max(4, Math.min(one.points.length, Math.floor(room / left)));
    shares.set(one, share);
    room -= Math.min(share, one.points.length);
    left -= 1;
  }
  return series.map((one) => {
    const { points } = one;
    const share = shares.get(one) ?? points.length;
    if (points.length <= share) return one;
    // Indexes instead of times, so that each kept point can be found again.
    const kept = downsample(
      [...points.keys()],
      points.map(({ y }) => y ?? Number.NaN),
      share,
    );
    return { ...one, points: kept.flatMap(({ at }) => points[at] ?? []) };
  });
}

/** The series or categories with the greatest values, at most `most`, greatest first. */
export function greatest<T>(items: readonly T[], most: number, valueOf: (item: T) => number): T[] {
  return items
    .map((item) => ({ item, value: valueOf(item) }))
    .sort((a, b) => b.value - a.value)
    .slice(0, most)
    .map(({ item }) => item);
}

function seriesName(row: readonly Cell[], { series, y }: Plan, measure: Field | undefined): string[] {
  return [...nameOf(row, series), ...(measure && y.length > 1 ? [measure.name] : [])];
}

function positions({ across, x }: Plan): (row: Cell[]) => number | string | undefined {
  const [field] = x;
  if (across === 'time') return (row) => timeOf(row[field?.index ?? 0], field?.timeForm ?? 'iso');
  if (across === 'number') {
    return (row) => {
      const value = numberOf(row[field?.index ?? 0]);
      return value === undefined || !isDrawable(value) ? undefined : value;
    };
  }
  const names = new Labels(CATEGORY_CHARACTERS);
  return (row) => names.of(nameOf(row, x));
}

function aggregated(series: readonly Series[], plan: Plan, aggregate: Aggregate): Pick<Points, 'series' | 'bucket'> {
  const bucket = plan.across === 'time' ? bucketOf(series, aggregate) : undefined;
  const place = (x: Point['x']): Point['x'] =>
    bucket !== undefined && typeof x === 'number' ? Math.floor(x / bucket) * bucket : x;
  const together = series.map(({ name, points }) => {
    const values = Map.groupBy(points, ({ x }) => place(x));
    return { name, points: [...values].map(([x, all]) => ({ x, y: aggregateOf(all, aggregate) })) };
  });
  return { series: together, ...(bucket !== undefined && { bucket }) };
}

/** @returns the bucket width; undefined if each time is its own bucket */
function bucketOf(series: readonly Series[], aggregate: Aggregate): number | undefined {
  let [least, most] = [Infinity, -Infinity];
  const times = new Set<number>();
  let rows = 0;
  for (const { points } of series) {
    for (const { x } of points) {
      rows += 1;
      if (typeof x !== 'number') continue;
      times.add(x);
      least = Math.min(least, x);
      most = Math.max(most, x);
    }
  }
  // Times that rows do not share need no aggregation.
  if (aggregate !== 'count' && times.size <= MAX_EXACT_TIMES && times.size * 2 <= rows) return undefined;
  const wanted = (most - least) / BUCKETS;
  return BUCKET_STEPS.find((step) => step >= wanted) ?? Math.ceil(wanted / (28 * DAY)) * 28 * DAY;
}

function aggregateOf(points: readonly Point[], aggregate: Aggregate): number | null {
  if (aggregate === 'count') return points.length;
  const values = points.flatMap(({ y }) => (y === null ? [] : [y]));
  if (values.length === 0) return null;
  if (aggregate === 'min') return values.reduce((least, value) => Math.min(least, value));
  if (aggregate === 'max') return values.reduce((most, value) => Math.max(most, value));
  const sum = values.reduce((total, value) => total + value, 0);
  // Round off the noise of binary fractions.
  return Number((aggregate === 'sum' ? sum : sum / values.length).toPrecision(12));
}

/** The point's place as the data of a chart has it. */
export function placeText(x: Point['x'], across: Plan['across']): string | number {
  return across === 'time' && typeof x === 'number' ? isoOf(x) : x;
}
