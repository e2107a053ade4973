/** Files of a recorded incident; the format is documented in demo/incidents/README.md. */
import { z } from 'zod';
import { SPAN_KINDS } from '../shared/traces/index.ts';

const isoTime = z.iso.datetime({ offset: true });

/** Dates are exact to the millisecond; spans are shorter than that. */
function secondsOf(time: string): number {
  const beyondMs = /\.\d{3}(\d+)/u.exec(time)?.[1] ?? '';
  return (Date.parse(time) + Number(`0.${beyondMs}0`)) / 1000;
}

/** ISO 8601 with a zone, or unix seconds; parsed into unix seconds. */
const recordedTime = z.unknown().transform((value, context) => {
  const at = typeof value === 'number' ? value : isoTime.safeParse(value).success ? secondsOf(String(value)) : NaN;
  if (Number.isFinite(at)) return at;
  context.addIssue({ code: 'custom', message: 'must be an ISO 8601 time with a zone, or unix seconds' });
  return z.NEVER;
});

const name = z.string().min(1).max(300);

const window = z
  .object({ from: recordedTime, to: recordedTime })
  .refine(({ from, to }) => from < to, { error: '"from" must be before "to"' });

export const incidentFile = z.object({
  title: z.string().min(1).max(300),
  window,
  /** May be far from `window`. */
  baseline: window.optional(),
  alerts: z
    .array(
      z.object({
        name: z.string().min(1).max(300),
        service: name,
        metric: name.optional(),
        at: recordedTime,
        summary: z.string().max(2000),
      }),
    )
    .max(100),
});

export const servicesFile = z.array(z.object({ name, description: z.string().max(2000).optional() })).max(10_000);

export const metricsFile = z.record(
  name,
  z.object({
    unit: z.string().max(50).optional(),
    type: z.enum(['counter', 'gauge', 'histogram', 'summary', 'unknown']).default('gauge'),
    help: z.string().max(2000).optional(),
  }),
);

export type MetricsFile = z.output<typeof metricsFile>;

export const changesFile = z
  .array(
    z.object({
      id: z.string().min(1).max(200),
      at: recordedTime,
      service: name.optional(),
      kind: z.string().min(1).max(100),
      summary: z.string().max(4000),
      author: z.string().max(200).optional(),
      url: z.url().optional(),
    }),
  )
  .max(100_000);

/** One line of logs.jsonl. */
export const logRecord = z.object({
  at: recordedTime,
  service: name,
  level: z.string().max(50).optional(),
  message: z.string(),
});

const spanId = z.string().min(1).max(200);
const lowerCase = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value);

/** One line of spans.jsonl. Exporters write null for what a span lacks. */
export const spanRecord = z
  .object({
    trace_id: spanId,
    span_id: spanId,
    parent_id: spanId.or(z.literal('')).nullish(),
    service: name,
    operation: z.string().max(2000),
    start: recordedTime,
    duration_ms: z.number().min(0),
    kind: z.preprocess(lowerCase, z.enum(SPAN_KINDS).nullish()),
    status: z.preprocess(lowerCase, z.enum(['ok', 'error', 'unset']).nullish()),
  })
  .transform(({ parent_id: parent, kind, status, ...span }) => ({
    ...span,
    ...(parent && { parent_id: parent }),
    ...(kind && { kind }),
    ...(status && status !== 'unset' && { status }),
  }));
