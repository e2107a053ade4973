import type { Transport } from '@casebook/connectors';
import { z } from 'zod';
import type { TimeWindow } from '../port.ts';
import { askSystem } from '../transport.ts';

/** Prometheus refuses more points per series. */
const MAX_POINTS = 11_000;

const labels = z.record(z.string(), z.string());
const sample = z.tuple([z.number(), z.string()]);
const matrix = z.object({
  resultType: z.literal('matrix'),
  result: z.array(z.object({ metric: labels, values: z.array(sample).default([]) })),
});
const vector = z.object({
  resultType: z.literal('vector'),
  result: z.array(z.object({ metric: labels, value: sample.optional() })),
});
const names = z.array(z.string());
const metadata = z.record(
  z.string(),
  z.array(z.object({ type: z.string(), help: z.string().default(''), unit: z.string().default('') })),
);
const alerts = z.object({
  alerts: z.array(
    z.object({
      labels,
      annotations: labels.default({}),
      state: z.string(),
      activeAt: z.iso.datetime({ offset: true }).optional(),
    }),
  ),
});
const targets = z.object({
  activeTargets: z.array(z.object({ scrapeInterval: z.string().optional() })),
});

export interface RangeSeries {
  labels: Record<string, string>;
  timestamps: number[];
  /** NaN where Prometheus said NaN or an infinity. */
  values: number[];
}

export interface InstantSample {
  labels: Record<string, string>;
  value: number;
}

export type PrometheusMetadata = z.output<typeof metadata>;

/** The part of Prometheus' HTTP API that the source uses. */
export interface PrometheusClient {
  query(expr: string, at: number | undefined, signal: AbortSignal): Promise<InstantSample[]>;
  /** Points of a half-open window, one every `step` seconds back from its end. */
  queryRange(expr: string, window: TimeWindow, step: number, signal: AbortSignal): Promise<RangeSeries[]>;
  labelNames(signal: AbortSignal): Promise<string[]>;
  /** @param selectors restrict the result to series that match one of them */
  labelValues(label: string, selectors: string[], signal: AbortSignal): Promise<string[]>;
  metadata(signal: AbortSignal): Promise<PrometheusMetadata>;
  alerts(signal: AbortSignal): Promise<z.output<typeof alerts>['alerts']>;
  /** Scrape intervals of the targets, as Prometheus writes durations. */
  scrapeIntervals(signal: AbortSignal): Promise<string[]>;
}

/** The client over any transport to the server. */
export function createPrometheusClient(transport: Transport): PrometheusClient {
  const call = <Schema extends z.ZodType>(
    operation: string,
    parameters: Record<string, unknown>,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.output<Schema>> => askSystem({ name: 'Prometheus', transport }, operation, parameters, schema, signal);

  return {
    async query(expr, at, signal) {
      const data = await call('query', { query: expr, time: at }, vector, signal);
      return data.result.map(({ metric, value }) => ({ labels: metric, value: toNumber(value?.[1]) }));
    },
    async queryRange(expr, { from, to }, step, signal) {
      // The window is half-open, and its newest point matters most.
      const end = to - 0.001;
      const start = end - Math.max(0, Math.floor((end - from) / step)) * step;
      const parameters = { query: expr, start: Number(start.toFixed(3)), end: Number(end.toFixed(3)), step };
      const data = await call('query_range', parameters, matrix, signal);
      return data.result.map(({ metric, values }) => ({
        labels: metric,
        timestamps: values.map(([at]) => at),
        values: values.map(([, value]) => toNumber(value)),
      }));
    },
    labelNames: (signal) => call('labels', {}, names, signal),
    labelValues: (label, match, signal) =>
      call('label_values', { label, match: match.length > 0 ? match : undefined }, names, signal),
    metadata: (signal) => call('metadata', {}, metadata, signal),
    alerts: async (signal) => (await call('alerts', {}, alerts, signal)).alerts,
    scrapeIntervals: async (signal) =>
      (await call('targets', {}, targets, signal)).activeTargets.flatMap(({ scrapeInterval }) => scrapeInterval ?? []),
  };
}

/**
 * The step, in seconds, that gives a series at most `maxPoints` points in a window, but at least `finest`. Both ends of
 * the window count as points.
 */
export function stepFor({ from, to }: TimeWindow, maxPoints: number, finest: number): number {
  const points = Math.max(2, Math.min(MAX_POINTS, Math.floor(maxPoints)));
  return Math.max(finest, Math.ceil(((to - from) / (points - 1)) * 1000) / 1000);
}

function toNumber(text: string | undefined): number {
  const value = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : Number.NaN;
}
