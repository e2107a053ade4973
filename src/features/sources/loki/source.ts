import { z } from 'zod';
import { createHttpClient } from '../http-client.ts';
import { inferLevel, normalizeLevel } from '../log-level.ts';
import {
  SourceError,
  type LogLine,
  type LogPage,
  type LogQuery,
  type SourceCapability,
  type TelemetrySource,
} from '../port.ts';
import { levelLabels, logQueries, serviceLabels, serviceSelectors } from './logql.ts';

const capabilities: SourceCapability[] = ['services', 'logs'];

/** Loki's default `max_entries_limit_per_query`. */
const MAX_LINES = 5000;
/** Labels that may name services, of those in use; each costs a query. */
const MAX_SERVICE_LABELS = 3;
/** Lines longer than this are cut: one of them must not fill a worker's memory. */
const MAX_LINE_CHARACTERS = 64 * 1024;

const names = z.object({ data: z.array(z.string()).optional() });
const series = z.object({ data: z.array(z.record(z.string(), z.string())).optional() });
const streams = z.object({
  data: z.object({
    resultType: z.literal('streams'),
    result: z.array(
      z.object({
        stream: z.record(z.string(), z.string()),
        // [nanoseconds, line]; later versions may add structured metadata.
        values: z.array(z.tuple([z.string().regex(/^\d+$/), z.string()]).rest(z.unknown())),
      }),
    ),
  }),
});

/**
 * A telemetry source over a Loki server.
 * @param options.url base URL, from the operator's configuration
 */
export function createLokiSource(options: { url: string; id?: string }): TelemetrySource {
  const id = options.id ?? 'loki';
  const http = createHttpClient({
    ...options,
    name: 'Loki',
    errorMessage: (body) => body.trim().slice(0, 1000) || undefined,
  });

  const get = async <Schema extends z.ZodType>(
    path: string,
    parameters: Record<string, string>,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.output<Schema>> => {
    const answer = await http.request('GET', path, new URLSearchParams(parameters), signal);
    const parsed = schema.safeParse(answer);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0]!;
    throw new SourceError(`Loki answered ${path} in an unknown form (${issue.path.join('.')}: ${issue.message})`);
  };

  /** Labels are looked up in the window asked about, or Loki's own default of the last six hours. */
  const labelsInUse = async (window: { from: number; to: number } | undefined, signal: AbortSignal) => {
    const range: Record<string, string> = window
      ? { start: nanoseconds(window.from), end: nanoseconds(window.to) }
      : {};
    const inUse = new Set((await get('/loki/api/v1/labels', range, names, signal)).data ?? []);
    return {
      range,
      services: serviceLabels.filter((label) => inUse.has(label)).slice(0, MAX_SERVICE_LABELS),
      level: levelLabels.find((label) => inUse.has(label)),
    };
  };

  const fetchLines = async (expr: string, query: LogQuery, limit: number, signal: AbortSignal) => {
    const parameters = {
      query: expr,
      start: nanoseconds(query.from),
      end: nanoseconds(query.to),
      limit: String(limit),
      direction: 'backward',
    };
    const { data } = await get('/loki/api/v1/query_range', parameters, streams, signal);
    return data.result.flatMap(({ stream, values }) =>
      values.map(([at, line]): LogLine => {
        const message = line.slice(0, MAX_LINE_CHARACTERS);
        const label = levelLabels.find((candidate) => stream[candidate]);
        return {
          at: Number(at) / 1e9,
          service: serviceOf(stream),
          level: (label && stream[label]) ?? inferLevel(message),
          message,
        };
      }),
    );
  };

  const searchLogs = async (query: LogQuery, signal: AbortSignal): Promise<LogPage> => {
    const labels = await labelsInUse(query, signal);
    if (labels.services.length === 0) return { lines: [], truncated: false };
    const limit = Math.max(1, Math.min(Math.floor(query.limit), MAX_LINES));
    // One more than asked for tells whether there are more.
    const asked = Math.min(limit + 1, MAX_LINES);
    const expressions = logQueries({ ...query, serviceLabels: labels.services, levelLabel: labels.level });
    const pages = await Promise.all(expressions.map((expr) => fetchLines(expr, query, asked, signal)));
    const full =
      pages.some((page) => page.length >= asked && asked > limit) || pages.some((page) => page.length >= MAX_LINES);
    // The query finds the level's word anywhere in a line; only the level the line states counts.
    const lines = pages
      .flat()
      .filter(({ level }) => query.level === undefined || normalizeLevel(level) === query.level)
      .sort((a, b) => a.at - b.at);
    return { lines: lines.slice(-limit), truncated: full || lines.length > limit };
  };

  return {
    id,
    kind: 'loki',
    capabilities,
    describe: async ({ signal }) => {
      await labelsInUse(undefined, signal);
      return { id, kind: 'loki', title: `Loki at ${new URL(options.url).host}`, capabilities, alerts: [] };
    },
    services: async ({ signal }) => {
      const { services } = await labelsInUse(undefined, signal);
      const found = new Set<string>();
      for (const selector of serviceSelectors(services, undefined)) {
        const { data = [] } = await get('/loki/api/v1/series', { 'match[]': `{${selector}}` }, series, signal);
        for (const stream of data) found.add(serviceOf(stream));
      }
      return [...found].sort().map((name) => ({ name, metrics: 0 }));
    },
    searchLogs: (query, { signal }) => searchLogs(query, signal),
  };
}

function serviceOf(stream: Record<string, string>): string {
  const label = serviceLabels.find((candidate) => stream[candidate]);
  return (label && stream[label]) ?? '';
}

/** Unix seconds as Loki takes them, exact to the microsecond. */
function nanoseconds(seconds: number): string {
  return String(BigInt(Math.round(seconds * 1e6)) * 1000n);
}
