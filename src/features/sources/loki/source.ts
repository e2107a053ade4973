import { inferLevel, normalizeLevel, type Transport } from '@casebook/connectors';
import { z } from 'zod';
import type { LogLine, LogPage, LogQuery, SourceCapability, SourceOwner, TelemetrySource } from '../port.ts';
import { askSystem } from '../transport.ts';
import { levelLabels, logQueries, serviceLabels, serviceSelectors } from './logql.ts';

const capabilities: SourceCapability[] = ['services', 'logs'];

/** Loki's default `max_entries_limit_per_query`. */
const MAX_LINES = 5000;
/** Maximum number of labels in use that may name services; each costs a query. */
const MAX_SERVICE_LABELS = 3;
/** Loki has no sample of a window: the newest lines of so many equal slices are one. */
const SAMPLED_SLICES = 12;
/** Longer lines are clipped: none of them may fill a worker's memory. */
const MAX_LINE_CHARACTERS = 64 * 1024;

// Loki omits an empty list.
const names = z.array(z.string()).nullish();
const series = z.array(z.record(z.string(), z.string())).nullish();
const streams = z.object({
  resultType: z.literal('streams'),
  result: z.array(
    z.object({
      stream: z.record(z.string(), z.string()),
      // [nanoseconds, line]; later versions may add structured metadata.
      values: z.array(z.tuple([z.string().regex(/^\d+$/), z.string()]).rest(z.unknown())),
    }),
  ),
});

/** A telemetry source over a Loki server, over any transport. */
export function createLokiSource(options: { transport: Transport; id?: string; owner?: SourceOwner }): TelemetrySource {
  const { transport, id = 'loki', owner = 'installation' } = options;

  const get = <Schema extends z.ZodType>(
    operation: string,
    parameters: Record<string, unknown>,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.output<Schema>> => askSystem({ name: 'Loki', transport }, operation, parameters, schema, signal);

  /** Labels are looked up in the given window, or in Loki's default of the last six hours. */
  const labelsInUse = async (window: { from: number; to: number } | undefined, signal: AbortSignal) => {
    const range = window ? { start: window.from, end: window.to } : {};
    const inUse = new Set((await get('labels', range, names, signal)) ?? []);
    return {
      services: serviceLabels.filter((label) => inUse.has(label)).slice(0, MAX_SERVICE_LABELS),
      level: levelLabels.find((label) => inUse.has(label)),
    };
  };

  const fetchLines = async (expr: string, query: LogQuery, limit: number, signal: AbortSignal) => {
    const parameters = {
      query: expr,
      start: query.from,
      end: query.to,
      limit,
      direction: 'backward',
    };
    const { result } = await get('query_range', parameters, streams, signal);
    return result.flatMap(({ stream, values }) =>
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
    // One more than requested shows whether there are more.
    const asked = Math.min(limit + 1, MAX_LINES);
    const expressions = logQueries({ ...query, serviceLabels: labels.services, levelLabel: labels.level });
    const pages = await Promise.all(expressions.map((expr) => fetchLines(expr, query, asked, signal)));
    const full =
      pages.some((page) => page.length >= asked && asked > limit) || pages.some((page) => page.length >= MAX_LINES);
    // The query finds the level's word anywhere in a line; only the level that the line states counts.
    const lines = pages
      .flat()
      .filter(({ level }) => query.level === undefined || normalizeLevel(level) === query.level)
      .sort((a, b) => a.at - b.at);
    return { lines: lines.slice(-limit), truncated: full || lines.length > limit };
  };

  return {
    id,
    owner,
    kind: 'loki',
    capabilities,
    describe: async ({ signal }) => {
      await labelsInUse(undefined, signal);
      return { id, kind: 'loki', title: `Loki at ${transport.place}`, capabilities, alerts: [] };
    },
    services: async ({ signal }) => {
      const { services } = await labelsInUse(undefined, signal);
      const found = new Set<string>();
      for (const selector of serviceSelectors(services, undefined)) {
        const labels = await get('series', { match: [`{${selector}}`] }, series, signal);
        for (const stream of labels ?? []) found.add(serviceOf(stream));
      }
      return [...found].sort().map((name) => ({ name, metrics: 0 }));
    },
    searchLogs: (query, { signal }) => searchLogs(query, signal),
    sampleLogs: async ({ from, to, maxLines }, { signal }) => {
      const length = (to - from) / SAMPLED_SLICES;
      const limit = Math.max(1, Math.floor(maxLines / SAMPLED_SLICES));
      const pages: LogPage[] = [];
      // One after the other: each may be as much as Loki returns at once.
      for (let slice = 0; slice < SAMPLED_SLICES; slice++) {
        const begin = from + slice * length;
        pages.push(await searchLogs({ from: begin, to: begin + length, limit }, signal));
      }
      return { lines: pages.flatMap(({ lines }) => lines), truncated: pages.some(({ truncated }) => truncated) };
    },
  };
}

function serviceOf(stream: Record<string, string>): string {
  const label = serviceLabels.find((candidate) => stream[candidate]);
  return (label && stream[label]) ?? '';
}
