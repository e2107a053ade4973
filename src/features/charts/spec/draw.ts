/** The data and encoding of each kind of chart. */
import { count } from '../../tools/index.ts';
import type { Datum, Encoding, MarkDef } from '../chart-spec.ts';
import { ChartError, MAX_SERIES, type ChartRequest, type Mark } from '../request.ts';
import { isoOf } from '../tables/index.ts';
import { plainText, titleText } from '../text.ts';
import { rangeOf, seriesChannel, timeChannel, unitOf, valueChannel, valueTitle, WIDTH } from './axes.ts';
import { momentsOf } from './events.ts';
import type { Plan } from './plan.ts';
import { greatest, hasDuplicates, placeText, pointsOf, thinned, type Point, type Series } from './points.ts';
import type { Selection } from './select.ts';

/** A chart before it is serialized. */
export interface Drawing {
  mark: Mark;
  markDef: MarkDef;
  encoding: Encoding;
  values: Datum[];
  width: number;
  height: number;
  /** What is drawn, if the request has no title. */
  title: string;
  digest: string;
  series: number;
  totalSeries: number;
  totalPoints: number;
  downsampled: boolean;
  notes: string[];
  /** The times across, in milliseconds since 1970. */
  period?: { from: number; to: number };
}

const HEIGHT = 320;
/** Next to names that take their own room. */
const NARROW_WIDTH = 480;
const USUAL_SERIES = 12;
const USUAL_CATEGORIES = 30;
const MAX_EVENTS = 40;
const MAX_HEIGHT = 2_000;
/** Up to this many points per series are marked on the line, so that isolated ones show. */
const MARKED_POINTS = 60;

const peak = (points: readonly Point[]): number =>
  points.reduce((most, { y }) => Math.max(most, Math.abs(y ?? 0)), -Infinity);

/** Lines, areas, bars or points. */
export function drawSeries(selection: Selection, plan: Plan, request: ChartRequest, limit: number): Drawing {
  const { series: all, bucket, skipped, extreme } = pointsOf(selection, plan);
  const mark = markFor(plan, all);
  const drawn = { ...plan, mark };
  const notes = skipped > 0 ? [`${count(skipped, 'row')} without ${whatIsAcross(plan)} left out`] : [];
  if (extreme > 0) notes.push(`${count(extreme, 'number')} too large or too small to draw left out`);
  const most = plan.across === 'category' ? USUAL_SERIES : Math.min(request.top ?? USUAL_SERIES, MAX_SERIES);
  const kept = greatest(all, most, ({ points }) => peak(points));
  if (kept.length < all.length)
    notes.push(`${kept.length} of ${all.length} series shown, those with the greatest values`);
  if (plan.y.length > 1 && unitOf(plan.y) === undefined && plan.y.some(({ unit }) => unit)) {
    notes.push('The columns have different units');
  }
  return plan.across === 'category'
    ? drawCategories(kept, drawn, request, { all, notes })
    : drawAlong(kept, drawn, { all, notes, bucket, limit });
}

interface Rest {
  /** The series before some were dropped. */
  all: readonly Series[];
  notes: string[];
}

function drawAlong(
  kept: readonly Series[],
  plan: Plan & { mark: Mark },
  { all, notes, bucket, limit }: Rest & { bucket?: number; limit: number },
): Drawing {
  const { mark, across } = plan;
  const sorted = kept.map(({ name, points }) => ({
    name,
    points: points
      .filter(({ y }) => y !== null || mark === 'line' || mark === 'area')
      .sort((a, b) => Number(a.x) - Number(b.x)),
  }));
  const shown = thinned(sorted, limit);
  const totalPoints = lengthOf(sorted);
  const points = lengthOf(shown);
  const downsampled = points < totalPoints;
  const values = shown.flatMap((series) => series.points.map((point) => datumOf(point, series, plan, bucket)));
  const [from, end] = rangeOf(shown.flatMap((series) => series.points.map(({ x }) => Number(x))));
  const to = end + (mark === 'bar' ? (bucket ?? 0) : 0);
  const numbers = shown.flatMap((series) => series.points.flatMap(({ y }) => y ?? []));
  const [field] = plan.x;
  const ranged = mark === 'bar' && bucket !== undefined;
  const few = shown.every((series) => series.points.length <= MARKED_POINTS);
  return {
    mark,
    markDef: markDef(mark, few),
    encoding: {
      x:
        across === 'time'
          ? { ...timeChannel(field ?? { name: 'time' }, from, to, WIDTH), ...(ranged && { bin: 'binned' as const }) }
          : { field: 'x', type: 'quantitative', title: titleOf(plan), scale: { zero: false, nice: true } },
      ...(ranged && { x2: { field: 'x_end' } }),
      y: { ...valueChannel(plan, numbers, bucket), ...stacking(plan) },
      ...colour(shown, plan),
    },
    values,
    width: WIDTH,
    height: HEIGHT,
    title: defaultTitle(plan, bucket),
    digest: digestOf(mark, shown.length, points),
    series: shown.length,
    totalSeries: all.length,
    totalPoints,
    downsampled,
    notes: downsampled ? [...notes, `${points} of ${totalPoints} points shown, lows and highs kept`] : notes,
    ...(across === 'time' && { period: { from, to } }),
  };
}

function drawCategories(
  kept: readonly Series[],
  plan: Plan & { mark: Mark },
  request: ChartRequest,
  { all, notes }: Rest,
): Drawing {
  const { mark } = plan;
  const isStacked = 'stack' in stacking(plan) && stacking(plan).stack === 'zero';
  const grouped = !isStacked && mark === 'bar' && kept.length > 1 ? kept.length : 1;
  const rowHeight = Math.max(22, grouped * 10 + 6);
  const points = kept.flatMap((series) =>
    series.points.flatMap((point) => (point.y === null ? [] : [{ ...point, series }])),
  );
  const categories = Map.groupBy(points, ({ x }) => x);
  const most = Math.min(request.top ?? USUAL_CATEGORIES, Math.floor(MAX_HEIGHT / rowHeight));
  const valueOf = ([, found]: [unknown, Point[]]): number =>
    isStacked ? found.reduce((sum, { y }) => sum + (y ?? 0), 0) : Math.max(...found.map(({ y }) => y ?? -Infinity));
  const shown = greatest([...categories], most, valueOf);
  // Strip plots of many rows are the only case that categories do not bound.
  const perCategory = Math.floor(4_000 / Math.max(1, shown.length));
  const values = shown.flatMap(([, found]) =>
    found.slice(0, perCategory).map((point) => datumOf(point, point.series, plan)),
  );
  if (shown.length < categories.size) {
    notes.push(`${shown.length} of ${categories.size} categories shown, those with the greatest values`);
  }
  const totalPoints = shown.reduce((sum, [, found]) => sum + found.length, 0);
  const downsampled = values.length < totalPoints;
  if (downsampled) notes.push(`${values.length} of ${totalPoints} points shown`);
  const numbers = values.flatMap(({ y }) => y ?? []);
  return {
    mark,
    markDef: markDef(mark, true),
    encoding: {
      // Names read left to right, so their bars are horizontal.
      y: {
        field: 'x',
        type: 'nominal',
        title: titleOf(plan),
        sort: null,
        axis: { labelLimit: 380, titleLimit: 300, maxExtent: 440 },
      },
      x: { ...valueChannel(plan, numbers, undefined), ...stacking(plan) },
      ...(grouped > 1 && { yOffset: { field: 'series', type: 'nominal', sort: null } }),
      ...colour(kept, plan),
    },
    values,
    width: NARROW_WIDTH,
    height: Math.max(60, shown.length * rowHeight),
    title: defaultTitle(plan),
    digest: `${word(mark)} of ${count(shown.length, 'category', 'categories')}${kept.length > 1 ? ` and ${kept.length} series` : ''}, ${count(values.length, 'value')}`,
    series: kept.length,
    totalSeries: all.length,
    totalPoints: lengthOf(all),
    downsampled,
    notes,
  };
}

/** Moments, one row per text. */
export function drawEvents(selection: Selection, plan: Plan, request: ChartRequest): Drawing {
  const all = momentsOf(selection, plan);
  if (all.length === 0) throw new ChartError('The rows have no times to mark.');
  const moments = all.slice(-Math.min(request.top ?? MAX_EVENTS, MAX_EVENTS));
  const [from, to] = rangeOf(moments.map(({ at }) => at));
  const kinds = new Set(moments.map(({ series }) => series));
  const values = moments.map(({ at, label, series }) => ({ x: isoOf(at), label, ...(series !== '' && { series }) }));
  const left = all.length - moments.length;
  const hasKinds = plan.series.length > 0;
  return {
    mark: 'event',
    markDef: { type: 'point', aria: false, filled: true, size: 90, opacity: 0.9 },
    encoding: {
      x: timeChannel(plan.x[0] ?? { name: 'time' }, from, to, NARROW_WIDTH),
      y: {
        field: 'label',
        type: 'nominal',
        title: null,
        sort: null,
        axis: { labelLimit: 420, grid: true, maxExtent: 440 },
      },
      ...(hasKinds && { color: seriesChannel([...kinds], seriesTitle(plan)) }),
    },
    values,
    width: NARROW_WIDTH,
    height: Math.max(60, new Set(moments.map(({ label }) => label)).size * 20),
    title: plainText(plan.label ? `${plan.label.name} over time` : 'Events', 120),
    digest: count(moments.length, 'event'),
    series: kinds.size,
    totalSeries: kinds.size,
    totalPoints: all.length,
    downsampled: left > 0,
    notes: left > 0 ? [`The last ${moments.length} of ${all.length} events shown`] : [],
    period: { from, to },
  };
}

function markFor({ mark, across, aggregate, log }: Plan, series: readonly Series[]): Mark {
  const duplicates = hasDuplicates(series);
  if (duplicates && mark !== undefined && mark !== 'point') {
    throw new ChartError(
      `Several rows have the same place in one series, so mark "${mark}" cannot be drawn: set aggregate, series or filter, or use mark "point".`,
    );
  }
  if (mark !== undefined) return mark;
  if (duplicates || across === 'number') return 'point';
  if (across === 'category') return log ? 'point' : 'bar';
  return aggregate === 'count' && !log ? 'bar' : series.every(({ points }) => points.length < 2) ? 'point' : 'line';
}

function markDef(mark: Mark, few: boolean): MarkDef {
  if (mark === 'bar') return { type: 'bar', aria: false };
  if (mark === 'area') return { type: 'area', aria: false, opacity: 0.5 };
  if (mark === 'line')
    return { type: 'line', aria: false, strokeWidth: 1.5, ...(few && { point: { size: 14, filled: true } }) };
  return { type: 'point', aria: false, filled: true, size: 40, opacity: 0.8 };
}

/** Stack only what adds up. */
function stacking({ mark, aggregate }: Plan): { stack?: 'zero' | null } {
  if (mark !== 'bar' && mark !== 'area') return {};
  return { stack: aggregate === 'count' || aggregate === 'sum' ? 'zero' : null };
}

function colour(series: readonly Series[], plan: Plan): Pick<Encoding, 'color'> {
  const names = series.map(({ name }) => name).filter((name) => name !== '');
  return names.length === 0 ? {} : { color: seriesChannel(names, seriesTitle(plan)) };
}

function datumOf({ x, y }: Point, series: Pick<Series, 'name'>, plan: Plan, bucket?: number): Datum {
  const place = placeText(x, plan.across);
  return {
    x: place,
    ...(plan.mark === 'bar' && bucket !== undefined && { x_end: isoOf(Number(x) + bucket) }),
    y,
    ...(series.name !== '' && { series: series.name }),
  };
}

function seriesTitle({ series }: Plan): string | null {
  return series.length === 0 ? null : titleText(series.map(({ name }) => name).join(' · '), 90);
}

function titleOf({ x }: Plan): string {
  return titleText(x.map(({ name, unit }) => (unit ? `${name} (${unit})` : name)).join(' · '), 90);
}

function defaultTitle(plan: Plan, bucket?: number): string {
  const by = plan.across === 'category' ? titleOf(plan) : seriesTitle(plan);
  const of = plan.subject === undefined ? '' : ` of ${plainText(plan.subject, 60)}`;
  return `${valueTitle(plan, bucket)}${of}${by === null ? '' : ` by ${by}`}`;
}

function whatIsAcross({ across, x }: Plan): string {
  return across === 'time' ? 'a time' : `a number in "${plainText(x[0]?.name ?? '', 60)}"`;
}

function digestOf(mark: Mark, series: number, points: number): string {
  return `${word(mark)} of ${count(series, 'series', 'series')}, ${count(points, 'point')}`;
}

function word(mark: Mark): string {
  return { line: 'Line chart', area: 'Area chart', bar: 'Bar chart', point: 'Point chart', event: 'Events' }[mark];
}

function lengthOf(series: readonly Series[]): number {
  return series.reduce((sum, { points }) => sum + points.length, 0);
}
