/** Axis titles, formats and scales, and the legend. */
import { plainText, titleText, textWidth } from '../text.ts';
import type { Channel } from '../chart-spec.ts';
import { isoOf } from '../tables/index.ts';
import type { Field } from './columns.ts';
import type { Plan } from './plan.ts';

export const WIDTH = 720;
const TITLE_CHARACTERS = 90;
const SECOND = 1_000;
const DAY = 86_400 * SECOND;
const LEGEND_FONT_SIZE = 10;
const LEGEND_LABEL_LIMIT = 330;
const MAX_DECADES = 8;

type FieldChannel = Extract<Channel, { field: unknown }>;

/** The time axis: labels as fine as the span needs, with what they omit in the title. */
export function timeChannel({ name }: Pick<Field, 'name'>, from: number, to: number, width: number): FieldChannel {
  const span = to - from;
  const sameDay = isoOf(from).slice(0, 10) === isoOf(to).slice(0, 10);
  const what = /^(?:time|timestamp|ts|t|at|when|@timestamp)$/iu.test(name) ? 'Time' : plainText(name, 60);
  const format = sameDay
    ? span < 10 * 60 * SECOND
      ? '%H:%M:%S'
      : '%H:%M'
    : span < 6 * DAY
      ? '%b %d %H:%M'
      : '%Y-%m-%d';
  return {
    field: 'x',
    type: 'temporal',
    title: `${what}${sameDay ? ` on ${isoOf(from).slice(0, 10)}` : ''} (UTC)`,
    scale: { type: 'utc', nice: false },
    axis: { format, grid: false, tickCount: Math.floor(width / (sameDay ? 70 : 110)) },
  };
}

/** The axis of values, with their unit. */
export function valueChannel(plan: Plan, values: readonly number[], bucket: number | undefined): FieldChannel {
  const [least, most] = rangeOf(values);
  const greatest = Math.max(Math.abs(least), Math.abs(most));
  // Lines may omit zero where it would flatten them; bars and areas must start at it.
  const zero = plan.mark === 'bar' || plan.mark === 'area' || (least >= 0 && least < most * 0.6);
  return {
    field: 'y',
    type: 'quantitative',
    title: valueTitle(plan, bucket),
    scale: plan.log ? logScale(values) : { zero, nice: true },
    axis: {
      // A shared prefix would suit all ticks, but logarithmic ones are too far apart for one.
      ...(greatest >= 10_000 && !plan.log && { format: '~s' }),
      ...(plan.aggregate === 'count' && { tickMinStep: 1 }),
      ...(plan.log && decades(values)),
      tickCount: 6,
      titleLimit: 320,
    },
  };
}

/** What is drawn, with its unit: `mean of latency (ms)`, `count per 5 min`. */
export function valueTitle({ y, aggregate }: Plan, bucket?: number): string {
  if (aggregate === 'count') return bucket === undefined ? 'count' : `count per ${durationText(bucket)}`;
  const names = y.map(({ name, title }) => plainText(title ?? name, TITLE_CHARACTERS)).join(', ');
  const unit = unitOf(y);
  const per = bucket === undefined ? '' : ` per ${durationText(bucket)}`;
  const text = aggregate ? `${aggregate} of ${names}${per}` : names;
  // A log column has its unit in its name.
  const said = unit === undefined || names.endsWith(`(${unit})`);
  return titleText(
    said ? text : `${plainText(text, TITLE_CHARACTERS)} (${plainText(unit, 30)})`,
    TITLE_CHARACTERS + 40,
  );
}

/** The unit all columns share. */
export function unitOf(fields: readonly Field[]): string | undefined {
  const [first] = fields;
  return fields.every(({ unit }) => unit === first?.unit) ? first?.unit : undefined;
}

/** Colours by series, and a legend below in as many columns as fit. */
export function seriesChannel(names: readonly string[], title: string | null): FieldChannel {
  const longest = Math.max(...names.map((name) => textWidth(name, LEGEND_FONT_SIZE)));
  const labelLimit = Math.ceil(Math.min(LEGEND_LABEL_LIMIT, longest + 10));
  const columns = Math.max(1, Math.min(names.length, Math.floor(WIDTH / (labelLimit + 30))));
  return {
    field: 'series',
    type: 'nominal',
    title,
    sort: null,
    scale: { scheme: names.length > 10 ? 'tableau20' : 'tableau10' },
    legend: { orient: 'bottom', columns, labelLimit, symbolLimit: names.length },
  };
}

export function rangeOf(values: readonly number[]): [number, number] {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return [least, most];
}

/** A duration as it follows `per`: `5 min`, `h`. */
function durationText(milliseconds: number): string {
  const units = [
    [DAY, 'd'],
    [DAY / 24, 'h'],
    [60 * SECOND, 'min'],
    [SECOND, 's'],
  ] as const;
  const [length, name] = units.find(([unit]) => milliseconds % unit === 0) ?? [1, 'ms'];
  return `${milliseconds / length} ${name}`.replace(/^1 /u, '');
}

/** Ticks at powers of ten if the numbers span several; Vega's own are too many, or all at one end. */
function decades(values: readonly number[]): { values?: number[] } {
  const sizes = values.map(Math.abs).filter((value) => value > 0);
  if (sizes.length === 0) return {};
  const [least, most] = rangeOf(sizes);
  const [from, to] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))];
  if (to - from < 2) return {};
  const step = Math.ceil((to - from) / MAX_DECADES);
  const powers = Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) =>
    Number(`1e${from + index * step}`),
  );
  const [lowest] = rangeOf(values);
  if (lowest > 0) return { values: powers };
  return { values: [...(lowest < 0 ? powers.map((power) => -power) : []), 0, ...powers] };
}

/**
 * Zero and negative numbers have no logarithm: the scale is linear around zero, up to the smallest non-zero magnitude.
 */
function logScale(values: readonly number[]): NonNullable<FieldChannel['scale']> {
  if (values.every((value) => value > 0)) return { type: 'log', nice: true };
  const [constant] = rangeOf(values.map(Math.abs).filter((value) => value > 0));
  return { type: 'symlog', constant: Number.isFinite(constant) ? constant : 1, nice: true };
}
