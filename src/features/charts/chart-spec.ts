/**
 * The subset of Vega-Lite that charts use. It is closed, so there is no place for an expression, a signal or a URL.
 * Data fields have fixed names; what came from telemetry is only ever a value or a text.
 */
import { z } from 'zod';
import { AGGREGATES, MARKS } from './request.ts';

export const VEGA_LITE_SCHEMA = 'https://vega.github.io/schema/vega-lite/v6.json' as const;

/** Limits of a chart's data: values, and bytes as JSON. */
export const MAX_POINTS = 5_000;
export const MAX_DATA_BYTES = 512_000;
const LABEL_CHARACTERS = 200;

const label = z.string().max(LABEL_CHARACTERS);
const size = z.number().min(0).max(4_000);
const offset = z.number().min(-1_000).max(4_000);
const color = z.string().regex(/^(?:#[\da-f]{3,8}|[a-z]{1,20})$/u, 'must be a colour such as #888 or white');
const format = z.string().regex(/^[%A-Za-z\d:., ~$+-]{0,40}$/u, 'must be a format of d3');

/** One value of the data: a point, a bar or an event. */
const datum = z.strictObject({
  x: z.union([label, z.number()]).optional(),
  x_end: label.optional(),
  y: z.number().nullable().optional(),
  series: label.optional(),
  label: label.optional(),
  lane: z.number().optional(),
});
const data = z.strictObject({ values: z.array(datum).max(MAX_POINTS) });

const title = z.union([label, z.null()]);
const scale = z.strictObject({
  type: z.string().max(20).optional(),
  zero: z.boolean().optional(),
  nice: z.boolean().optional(),
  constant: z.number().positive().optional(),
  scheme: z
    .string()
    .regex(/^[a-z]+\d*$/u)
    .optional(),
});
const axis = z.strictObject({
  format: format.optional(),
  labelLimit: size.optional(),
  tickCount: size.optional(),
  tickMinStep: size.optional(),
  values: z.array(z.number()).max(100).optional(),
  grid: z.boolean().optional(),
  titleLimit: size.optional(),
  maxExtent: size.optional(),
});
const legend = z.strictObject({
  orient: z.enum(['bottom', 'right']),
  columns: size.optional(),
  labelLimit: size.optional(),
  symbolLimit: size.optional(),
});
const channel = z.union([
  z.strictObject({ value: z.union([z.number(), color]) }),
  z.strictObject({
    field: z.enum(['x', 'x_end', 'y', 'series', 'label', 'lane']),
    type: z.string().max(20).optional(),
    title: title.optional(),
    scale: scale.nullable().optional(),
    axis: axis.nullable().optional(),
    legend: legend.nullable().optional(),
    /** The data gives the bounds of each interval. */
    bin: z.literal('binned').optional(),
    sort: z.null().optional(),
    stack: z.enum(['zero']).nullable().optional(),
  }),
]);
const encoding = z.strictObject({
  x: channel.optional(),
  x2: channel.optional(),
  y: channel.optional(),
  xOffset: channel.optional(),
  yOffset: channel.optional(),
  color: channel.optional(),
  text: channel.optional(),
});
const mark = z.strictObject({
  type: z.enum(['line', 'area', 'bar', 'point', 'rule', 'text']),
  aria: z.literal(false).optional(),
  point: z.strictObject({ size, filled: z.boolean().optional() }).optional(),
  interpolate: z.enum(['linear', 'monotone', 'step-after']).optional(),
  opacity: z.number().min(0).max(1).optional(),
  filled: z.boolean().optional(),
  size: size.optional(),
  color: color.optional(),
  strokeWidth: size.optional(),
  strokeDash: z.array(size).max(4).optional(),
  align: z.enum(['left', 'center', 'right']).optional(),
  baseline: z.enum(['top', 'middle', 'bottom']).optional(),
  dx: offset.optional(),
  dy: offset.optional(),
  fontSize: size.optional(),
  limit: size.optional(),
  clip: z.boolean().optional(),
});
const layer = z.strictObject({ data: data.optional(), mark, encoding });

const source = z.strictObject({
  tool_call_id: z.string().max(200),
  tool: z.string().max(200),
  sha256: z.string().regex(/^[\da-f]{64}$/u),
  /** The table, and where in the result it is. */
  table: z.string().max(600),
  path: z.string().max(600),
});

/** Where a chart's points come from and how they were processed. */
const provenance = z.strictObject({
  source,
  /** The same for the event marks over the chart. */
  events: source.optional(),
  mark: z.enum(MARKS),
  aggregate: z.enum(AGGREGATES).optional(),
  /** How many points are drawn, out of how many after filter and aggregation. */
  points: z.number().int(),
  total_points: z.number().int(),
  series: z.number().int(),
  total_series: z.number().int(),
  downsampled: z.boolean(),
  /** What a reader must know, in sentences. */
  notes: z.array(z.string().max(400)).max(20),
});

const head = {
  $schema: z.literal(VEGA_LITE_SCHEMA, `must be "${VEGA_LITE_SCHEMA}"`),
  title: z.strictObject({
    text: label,
    subtitle: z.array(label).max(6).optional(),
    anchor: z.literal('start'),
    limit: size.optional(),
    offset: offset.optional(),
  }),
  description: z.string().max(600),
  width: size,
  height: size,
  background: color.optional(),
  config: z
    .strictObject({
      font: z
        .string()
        .regex(/^[A-Za-z, -]{1,80}$/u)
        .optional(),
      view: z.strictObject({ stroke: z.null() }).optional(),
    })
    .optional(),
  usermeta: z.strictObject({ casebook: provenance }),
  data,
};

export const plainChart = z.strictObject({ ...head, mark, encoding });
export const layeredChart = z.strictObject({ ...head, layer: z.array(layer).min(1).max(6) });

/** A chart: a Vega-Lite v6 specification with its data inline. */
export type ChartSpec = z.infer<typeof plainChart> | z.infer<typeof layeredChart>;
export type ChartSource = z.infer<typeof source>;
export type Datum = z.infer<typeof datum>;
export type Encoding = z.infer<typeof encoding>;
export type Channel = z.infer<typeof channel>;
export type MarkDef = z.infer<typeof mark>;
export type Layer = z.infer<typeof layer>;
