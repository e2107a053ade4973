import { z } from 'zod';
import { createHttpClient } from '../http-client.ts';
import { SourceError, type TimeWindow } from '../port.ts';

/** Prometheus refuses more points a series. */
const MAX_POINTS = 11_000;

const envelope = z.object({ data: z.unknown() });
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

/** The parts of Prometheus' HTTP API that the source uses. */
export interface PrometheusClient {
  query(expr: string, at: number | undefined, signal: AbortSignal): Promise<InstantSample[]>;
  /** Points of a half-open window, one every `step` seconds back from its end. */
  queryRange(expr: string, window: TimeWindow, step: number, signal: AbortSignal): Promise<RangeSeries[]>;
  labelNames(signal: AbortSignal): Promise<string[]>;
  /** @param selectors only of series that one of them matches */
  labelValues(label: string, selectors: string[], signal: AbortSignal): Promise<string[]>;
  metadata(signal: AbortSignal): Promise<PrometheusMetadata>;
  alerts(signal: AbortSignal): Promise<z.output<typeof alerts>['alerts']>;
  /** Scrape intervals of the targets, as Prometheus writes durations. */
  scrapeIntervals(signal: AbortSignal): Promise<string[]>;
}

/** @param options.url base URL of a server that speaks Prometheus' HTTP API; paths of proxies are kept */
export function createPrometheusClient(options: { url: string; maxResponseBytes?: number }): PrometheusClient {
  const http = createHttpClient({ ...options, name: 'Prometheus', errorMessage });

  const call = async <Schema extends z.ZodType>(
    method: 'GET' | 'POST',
    path: string,
    parameters: Record<string, string | string[]>,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.output<Schema>> => {
    const search = new URLSearchParams();
    for (const [key, value] of Object.entries(parameters)) {
      for (const item of [value].flat()) search.append(key, item);
    }
    const answer = await http.request(method, path, search, signal);
    const parsed = schema.safeParse(envelope.safeParse(answer).data?.data);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0]!;
    throw new SourceError(`Prometheus answered ${path} in an unknown form (${issue.path.join('.')}: ${issue.message})`);
  };

  return {
    async query(expr, at, signal) {
      const parameters: Record<string, string> = { query: expr };
      if (at !== undefined) parameters['time'] = String(at);
      const data = await call('POST', '/api/v1/query', parameters, vector, signal);
      return data.result.map(({ metric, value }) => ({ labels: metric, value: toNumber(value?.[1]) }));
    },
    async queryRange(expr, { from, to }, step, signal) {
      // The window is half-open, and its newest point is the one that matters most.
      const end = to - 0.001;
      const start = end - Math.max(0, Math.floor((end - from) / step)) * step;
      const parameters = { query: expr, start: start.toFixed(3), end: end.toFixed(3), step: String(step) };
      const data = await call('POST', '/api/v1/query_range', parameters, matrix, signal);
      return data.result.map(({ metric, values }) => ({
        labels: metric,
        timestamps: values.map(([at]) => at),
        values: values.map(([, value]) => toNumber(value)),
      }));
    },
    labelNames: (signal) => call('GET', '/api/v1/labels', {}, names, signal),
    labelValues: (label, selectors, signal) =>
      call('GET', `/api/v1/label/${encodeURIComponent(label)}/values`, { 'match[]': selectors }, names, signal),
    metadata: (signal) => call('GET', '/api/v1/metadata', {}, metadata, signal),
    alerts: async (signal) => (await call('GET', '/api/v1/alerts', {}, alerts, signal)).alerts,
    scrapeIntervals: async (signal) =>
      (await call('GET', '/api/v1/targets', { state: 'active' }, targets, signal)).activeTargets.flatMap(
        ({ scrapeInterval }) => scrapeInterval ?? [],
      ),
  };
}

/**
 * The step, in seconds, that gives a series at most `maxPoints` points in a window, and not below `finest`.
 * Ends of the window count as points.
 */
export function stepFor({ from, to }: TimeWindow, maxPoints: number, finest: number): number {
  const points = Math.max(2, Math.min(MAX_POINTS, Math.floor(maxPoints)));
  return Math.max(finest, Math.ceil(((to - from) / (points - 1)) * 1000) / 1000);
}

function errorMessage(body: string): string | undefined {
  try {
    const { errorType, error } = z.object({ errorType: z.string(), error: z.string() }).parse(JSON.parse(body));
    return `${errorType}: ${error.slice(0, 1000)}`;
  } catch {
    return undefined;
  }
}

function toNumber(text: string | undefined): number {
  const value = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : Number.NaN;
}
