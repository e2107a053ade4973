import { readdir } from 'node:fs/promises';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type {
  MetricDescriptor,
  MetricSeries,
  ServiceEdge,
  ServiceSummary,
  SourceCapability,
  TelemetrySource,
} from '../port.ts';
import { SourceError } from '../port.ts';
import { counterToRate, joinSamples, limitPoints, sliceSamples } from '../series.ts';
import { readEdgesCsv, readMetricsCsv, type RecordedSeries } from './csv.ts';
import { openIncidentFile, readIncidentJson } from './files.ts';
import { searchLogFile } from './logs.ts';
import { changesFile, incidentFile, metricsFile, servicesFile, type MetricsFile } from './schema.ts';

/** Prefix of the ids of recorded incidents: folder `checkout-errors` is the source `incident:checkout-errors`. */
export const RECORDED_ID_PREFIX = 'incident:';

const metricsFileName = /^metrics(\.[\w-]+)?\.csv$/;

/** Parsed metrics files, by path and state of the file; holds at most `maxBytes`. */
export type MetricsCache = LRUCache<string, RecordedSeries[]>;

/** A cache of parsed metrics files that incidents share. @param maxBytes rough bound of the memory it holds */
export function createMetricsCache(maxBytes = 128 * 1024 * 1024): MetricsCache {
  return new LRUCache({
    maxSize: maxBytes,
    sizeCalculation: (series) => 1 + series.reduce((bytes, { values }) => bytes + 200 + values.length * 8, 0),
  });
}

/**
 * A telemetry source over one folder of recorded files (format: demo/incidents/README.md). Nothing is read before it
 * is asked for. A file that is absent removes a capability; one that is malformed makes the calls that need it throw
 * {@link SourceError} and nothing else.
 * @param folder path of the incident's folder; its name becomes the source's id
 */
export function createRecordedIncidentSource(
  folder: string,
  { cache = createMetricsCache() }: { cache?: MetricsCache } = {},
): TelemetrySource {
  const id = RECORDED_ID_PREFIX + basename(folder);

  /** Every message says which incident it is about. */
  const named = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof SourceError) throw new SourceError(`${id}: ${error.message}`, { cause: error });
      throw error;
    }
  };

  const loadSeries = async (signal: AbortSignal): Promise<RecordedSeries[]> => {
    const names = (await readdir(folder)).filter((name) => metricsFileName.test(name)).sort();
    const files: RecordedSeries[][] = [];
    for (const name of names) {
      const file = await openIncidentFile(folder, name);
      if (!file) continue;
      const { mtimeMs, size } = await file.stat();
      await file.close();
      const key = `${join(folder, name)}\0${mtimeMs}\0${size}`;
      let series = cache.get(key);
      if (!series) {
        series = await readMetricsCsv(folder, name, signal);
        cache.set(key, series);
      }
      files.push(series);
    }
    return joinSeries(files);
  };

  const loadMetadata = async (signal: AbortSignal): Promise<MetricsFile> =>
    (await readIncidentJson(folder, 'metrics.json', metricsFile, signal)) ?? {};

  const edges = (signal: AbortSignal): Promise<ServiceEdge[]> => readEdgesCsv(folder, 'edges.csv', signal);

  return {
    id,
    owner: 'installation',
    kind: 'recorded-incident',
    // Looked up each time: files may be added while an incident is being recorded.
    get capabilities() {
      return capabilitiesOf(folder);
    },

    describe: ({ signal }) =>
      named(async () => {
        const incident = await readIncidentJson(folder, 'incident.json', incidentFile, signal);
        if (!incident) throw new SourceError('incident.json is missing');
        return { id, kind: 'recorded-incident', capabilities: capabilitiesOf(folder), ...incident };
      }),

    services: ({ signal }) =>
      named(async () => {
        const summaries = new Map<string, ServiceSummary>();
        const add = (name: string): ServiceSummary => {
          const summary = summaries.get(name) ?? { name, metrics: 0 };
          summaries.set(name, summary);
          return summary;
        };
        for (const { name, description } of (await readIncidentJson(folder, 'services.json', servicesFile, signal)) ??
          []) {
          add(name).description = description;
        }
        for (const { caller, callee } of await edges(signal)) {
          add(caller);
          add(callee);
        }
        const counted = new Set<string>();
        for (const { service, metric } of await loadSeries(signal)) {
          const key = JSON.stringify([service, metric]);
          if (counted.has(key)) continue;
          counted.add(key);
          add(service).metrics++;
        }
        return [...summaries.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
      }),

    searchMetrics: ({ text, service, limit }, { signal }) =>
      named(async () =>
        describeMetrics(await loadSeries(signal), await loadMetadata(signal), { text, service, limit }),
      ),

    queryMetric: (query, { signal }) =>
      named(async () => {
        const { service: byService, statistic: byStatistic, ...unknown } = query.labels ?? {};
        const strange = Object.keys(unknown)[0];
        if (strange) {
          throw new SourceError(`recorded series have the labels service and statistic, not "${strange}"`);
        }
        const metadata = await loadMetadata(signal);
        const ofMetric = (await loadSeries(signal)).filter(({ metric }) => metric === query.metric);
        if (ofMetric.length === 0) {
          throw new SourceError(`there is no metric "${query.metric}"; search_metrics finds the names there are`);
        }
        // A counter has been recorded as it counted and is answered as its rate.
        const isCounter = metadata[query.metric]?.type === 'counter';
        const statisticOf = (series: RecordedSeries) => (isCounter ? 'rate' : series.statistic);
        return ofMetric
          .filter((series) => query.service === undefined || series.service === query.service)
          .filter((series) => byService === undefined || series.service === byService)
          .filter((series) => query.statistic === undefined || statisticOf(series) === query.statistic)
          .filter((series) => byStatistic === undefined || statisticOf(series) === byStatistic)
          .map((series) => toMetricSeries(series, metadata, query))
          .filter((series) => series.timestamps.length > 0);
      }),

    surveyMetrics: (query, { signal }) =>
      named(async () => {
        const metadata = await loadMetadata(signal);
        const wanted = query.services && new Set(query.services);
        return (await loadSeries(signal))
          .filter(({ service }) => !wanted || wanted.has(service))
          .map((series) => toMetricSeries(series, metadata, query))
          .filter((series) => series.timestamps.length > 0);
      }),

    searchLogs: (query, { signal }) => named(() => searchLogFile(folder, 'logs.jsonl', query, signal)),

    dependencies: (_window, { signal }) => named(() => edges(signal)),

    changes: ({ from, to, service }, { signal }) =>
      named(async () =>
        ((await readIncidentJson(folder, 'changes.json', changesFile, signal)) ?? [])
          .filter(({ at }) => at >= from && at < to)
          .filter((change) => service === undefined || change.service === service)
          .sort((a, b) => a.at - b.at),
      ),
  };
}

/** Series that occur in several files become one each; of samples at the same time the last file's counts. */
function joinSeries(files: RecordedSeries[][]): RecordedSeries[] {
  if (files.length <= 1) return files[0] ?? [];
  const parts = new Map<string, RecordedSeries[]>();
  for (const series of files.flat()) {
    const key = JSON.stringify([series.service, series.metric, series.statistic]);
    parts.set(key, [...(parts.get(key) ?? []), series]);
  }
  return [...parts.values()].map((same) => (same.length === 1 ? same[0]! : { ...same[0]!, ...joinSamples(same) }));
}

function capabilitiesOf(folder: string): SourceCapability[] {
  let names: string[] = [];
  try {
    names = readdirSync(folder);
  } catch {
    // Unreadable or gone: describe() says so to whoever asks.
  }
  const capabilities: SourceCapability[] = ['services', 'alerts'];
  if (names.some((name) => metricsFileName.test(name))) capabilities.push('metrics');
  if (names.includes('logs.jsonl')) capabilities.push('logs');
  if (names.includes('edges.csv')) capabilities.push('dependencies');
  if (names.includes('changes.json')) capabilities.push('changes');
  return capabilities;
}

function toMetricSeries(
  series: RecordedSeries,
  metadata: MetricsFile,
  query: { from: number; to: number; maxPoints: number },
): MetricSeries {
  const { type, unit } = metadata[series.metric] ?? {};
  const isCounter = type === 'counter';
  const samples = limitPoints(sliceSamples(isCounter ? counterToRate(series) : series, query), query.maxPoints);
  return {
    service: series.service,
    metric: series.metric,
    statistic: isCounter ? 'rate' : series.statistic,
    unit: isCounter ? `${unit ?? '1'}/s` : unit,
    ...samples,
  };
}

function describeMetrics(
  series: RecordedSeries[],
  metadata: MetricsFile,
  query: { text?: string; service?: string; limit: number },
): MetricDescriptor[] {
  const words = (query.text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const byMetric = new Map<string, { services: Set<string>; statistics: Set<string> }>();
  for (const { service, metric, statistic } of series) {
    if (query.service !== undefined && service !== query.service) continue;
    const { help = '', unit = '' } = metadata[metric] ?? {};
    const haystack = `${metric} ${help} ${unit} ${service}`.toLowerCase();
    if (!words.every((word) => haystack.includes(word))) continue;
    const entry = byMetric.get(metric) ?? { services: new Set(), statistics: new Set() };
    byMetric.set(metric, entry);
    entry.services.add(service);
    if (metadata[metric]?.type === 'counter') entry.statistics.add('rate');
    else if (statistic) entry.statistics.add(statistic);
  }
  return [...byMetric].slice(0, Math.max(0, query.limit)).map(([metric, { services, statistics }]) => ({
    metric,
    services: [...services].slice(0, 20),
    serviceCount: services.size,
    statistics: [...statistics],
    unit: metadata[metric]?.unit,
    type: metadata[metric]?.type ?? 'gauge',
    help: metadata[metric]?.help,
  }));
}
