import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { localTransport, recorded, type Transport } from '@casebook/connectors';
import { z } from 'zod';
import { RECORDED_ID_PREFIX } from '../contract.ts';
import type { LogLine, SourceCapability, TelemetrySource } from '../port.ts';
import { SourceError } from '../port.ts';
import { tracesOver } from '../traces/spans.ts';
import { askSystem } from '../transport.ts';

const window = z.object({ from: z.number(), to: z.number() });
const described = z.object({
  title: z.string(),
  window,
  baseline: window.optional(),
  alerts: z.array(
    z.object({
      name: z.string(),
      service: z.string(),
      metric: z.string().optional(),
      at: z.number(),
      summary: z.string(),
    }),
  ),
});
const services = z.array(z.object({ name: z.string(), description: z.string().optional(), metrics: z.number() }));
const metrics = z.array(
  z
    .object({
      metric: z.string(),
      services: z.array(z.string()),
      service_count: z.number(),
      statistics: z.array(z.string()),
      unit: z.string().optional(),
      type: z.enum(['counter', 'gauge', 'histogram', 'summary', 'unknown']),
      help: z.string().optional(),
    })
    .transform(({ service_count: serviceCount, ...rest }) => ({ ...rest, serviceCount })),
);
/** Samples are numerous and come from our own connector: they are not validated one by one. */
const series = z.array(
  z
    .object({
      service: z.string(),
      metric: z.string(),
      statistic: z.string().optional(),
      unit: z.string().optional(),
      timestamps: z.custom<number[]>(Array.isArray),
      values: z.custom<(number | null)[]>(Array.isArray),
    })
    .transform(({ values, ...rest }) => ({ ...rest, values: values.map((value) => value ?? Number.NaN) })),
);
/** As numerous as samples, and from our own connector. */
const logSample = z.object({
  lines: z.custom<LogLine[]>(Array.isArray),
  truncated: z.boolean(),
  unreadable: z.number(),
});
const page = z.object({
  lines: z.array(z.object({ at: z.number(), service: z.string(), level: z.string().optional(), message: z.string() })),
  truncated: z.boolean(),
  unreadable: z.number(),
});
const edges = z.array(z.object({ caller: z.string(), callee: z.string(), callsPerSecond: z.number().optional() }));
const changes = z.array(
  z.object({
    id: z.string(),
    at: z.number(),
    service: z.string().optional(),
    kind: z.string(),
    summary: z.string(),
    author: z.string().optional(),
    url: z.string().optional(),
  }),
);

/** The connector of a directory whose folders are recorded incidents; its incidents share a cache. */
export function recordedTransport(directory: string): Transport {
  const log = { debug: () => undefined, warn: () => undefined };
  return localTransport(
    recorded.create({ directory }, { id: 'recorded', title: 'Recorded incidents', log }),
    directory,
  );
}

/**
 * A telemetry source over one recorded incident (format: demo/incidents/README.md). Files are read on demand. An absent
 * file removes a capability; a malformed one makes the calls that need it throw {@link SourceError}, and nothing else.
 * @param folder path of the incident's folder; its name becomes the source's id
 */
export function createRecordedIncidentSource(
  folder: string,
  transport: Transport = recordedTransport(dirname(folder)),
): TelemetrySource {
  const incident = basename(folder);
  const id = RECORDED_ID_PREFIX + incident;

  /** Every message names its incident. */
  const ask = async <Schema extends z.ZodType>(
    operation: string,
    parameters: Record<string, unknown>,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.output<Schema>> => {
    try {
      return await askSystem(
        { name: 'the incident', transport },
        operation,
        { incident, ...parameters },
        schema,
        signal,
      );
    } catch (error) {
      if (error instanceof SourceError) throw new SourceError(`${id}: ${error.message}`, { cause: error });
      throw error;
    }
  };

  return {
    id,
    owner: 'installation',
    kind: 'recorded-incident',
    // Looked up each time: files may be added while an incident is being recorded.
    get capabilities() {
      return capabilitiesOf(folder);
    },

    describe: async ({ signal }) => ({
      id,
      kind: 'recorded-incident',
      capabilities: capabilitiesOf(folder),
      ...(await ask('incident', {}, described, signal)),
    }),
    services: ({ signal }) => ask('services', {}, services, signal),
    searchMetrics: ({ text, service, limit }, { signal }) =>
      ask('metrics', { text, service, limit: Math.max(0, limit) }, metrics, signal),
    queryMetric: async ({ metric, service, statistic, labels = {}, from, to, maxPoints }, { signal }) => {
      const { service: byService = service, statistic: byStatistic = statistic, ...unknown } = labels;
      const strange = Object.keys(unknown)[0];
      if (strange)
        throw new SourceError(`${id}: recorded series have the labels service and statistic, not "${strange}"`);
      // Both filters may be given in both forms; then both apply.
      if ((service ?? byService) !== byService || (statistic ?? byStatistic) !== byStatistic) return [];
      const asked = { metric, service: byService, statistic: byStatistic, from, to, max_points: points(maxPoints) };
      return ask('query_metric', asked, series, signal);
    },
    surveyMetrics: ({ services: wanted, from, to, maxPoints }, { signal }) =>
      ask('survey_metrics', { services: wanted, from, to, max_points: points(maxPoints) }, series, signal),
    searchLogs: async ({ limit, ...query }, { signal }) => {
      const { unreadable, ...found } = await ask('search_logs', { ...query, limit: points(limit) }, page, signal);
      return { ...found, ...(unreadable > 0 && { unreadable }) };
    },
    ...tracesOver(ask),
    sampleLogs: async ({ from, to, maxLines }, { signal }) => {
      const asked = { from, to, limit: points(maxLines) };
      const { unreadable, ...found } = await ask('sample_logs', asked, logSample, signal);
      return { ...found, ...(unreadable > 0 && { unreadable }) };
    },
    dependencies: (_window, { signal }) => ask('dependencies', {}, edges, signal),
    changes: ({ from, to, service }, { signal }) => ask('changes', { from, to, service }, changes, signal),
  };
}

/** At least one, whatever is requested. */
const points = (count: number): number => Math.max(1, Math.floor(count));

function capabilitiesOf(folder: string): SourceCapability[] {
  let names: string[] = [];
  try {
    names = readdirSync(folder);
  } catch {
    // Unreadable or gone: describe() reports it.
  }
  const capabilities: SourceCapability[] = ['services', 'alerts'];
  if (names.some((name) => /^metrics(?:\.[\w-]+)?\.csv$/u.test(name))) capabilities.push('metrics');
  if (names.includes('logs.jsonl')) capabilities.push('logs');
  if (names.includes('spans.jsonl')) capabilities.push('traces');
  if (names.includes('edges.csv')) capabilities.push('dependencies');
  if (names.includes('changes.json')) capabilities.push('changes');
  return capabilities;
}
