/** The metrics of recorded incidents. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { QueryError } from '../connector.ts';
import { readMetricsCsv, type RecordedSeries } from './csv.ts';
import { openIncidentFile, readIncidentJson } from './files.ts';
import { counterToRate, joinSamples, limitPoints, sliceSamples } from './samples.ts';
import { metricsFile, type MetricsFile } from './schema.ts';

const MAX_CACHE_BYTES = 128 * 1024 * 1024;
/** Maximum number of services listed per metric; all are counted. */
const MAX_SERVICES = 20;

/** Selects samples of each series: a half-open window in unix seconds. */
interface SeriesWindow {
  from: number;
  to: number;
  /** Per series; more points are averaged. */
  max_points: number;
}

/** Reads the series of an incident's folder. Parsed files stay cached until they change. */
export type LoadSeries = (folder: string, signal: AbortSignal) => Promise<RecordedSeries[]>;

export function createSeriesLoader(): LoadSeries {
  const cache = new LRUCache<string, RecordedSeries[]>({
    maxSize: MAX_CACHE_BYTES,
    sizeCalculation: (series) => 1 + series.reduce((bytes, { values }) => bytes + 200 + values.length * 8, 0),
  });
  return async (folder, signal) => {
    const names = (await readdir(folder)).filter((name) => /^metrics(?:\.[\w-]+)?\.csv$/u.test(name)).sort();
    const files: RecordedSeries[][] = [];
    for (const name of names) {
      const file = await openIncidentFile(folder, name);
      if (!file) continue;
      const { mtimeMs, size } = await file.stat();
      await file.close();
      const key = `${join(folder, name)}\0${mtimeMs}\0${size}`;
      const series = cache.get(key) ?? (await readMetricsCsv(folder, name, signal));
      cache.set(key, series);
      files.push(series);
    }
    return joinSeries(files);
  };
}

/** A series that occurs in several files is merged; of samples at the same time, the last file's counts. */
function joinSeries(files: RecordedSeries[][]): RecordedSeries[] {
  if (files.length <= 1) return files[0] ?? [];
  const parts = new Map<string, RecordedSeries[]>();
  for (const series of files.flat()) {
    const key = JSON.stringify([series.service, series.metric, series.statistic]);
    parts.set(key, [...(parts.get(key) ?? []), series]);
  }
  return [...parts.values()].map((same) => (same.length === 1 ? same[0]! : { ...same[0]!, ...joinSamples(same) }));
}

export const readMetadata = async (folder: string, signal: AbortSignal): Promise<MetricsFile> =>
  (await readIncidentJson(folder, 'metrics.json', metricsFile, signal)) ?? {};

/** Counters are recorded as counts and returned as rates. */
const statisticOf = ({ metric, statistic }: RecordedSeries, about: MetricsFile): string | undefined =>
  about[metric]?.type === 'counter' ? 'rate' : statistic;

/** The samples of a series in a window; a missing one is null. */
export function presentSeries(series: RecordedSeries, about: MetricsFile, window: SeriesWindow) {
  const { type, unit } = about[series.metric] ?? {};
  const isCounter = type === 'counter';
  const ofWindow = sliceSamples(isCounter ? counterToRate(series) : series, window);
  const { timestamps, values } = limitPoints(ofWindow, window.max_points);
  return {
    service: series.service,
    metric: series.metric,
    statistic: statisticOf(series, about),
    unit: isCounter ? `${unit ?? '1'}/s` : unit,
    timestamps,
    values: values.map((value) => (Number.isNaN(value) ? null : value)),
  };
}

interface MetricQuestion extends SeriesWindow {
  metric: string;
  service?: string;
  statistic?: string;
}

/** @throws {QueryError} when the incident does not have the metric */
export function queryMetric(all: RecordedSeries[], about: MetricsFile, question: MetricQuestion) {
  const { metric, service, statistic } = question;
  const ofMetric = all.filter((series) => series.metric === metric);
  if (ofMetric.length === 0)
    throw new QueryError('not_found', `there is no metric "${metric}"; search for the existing names`);
  return ofMetric
    .filter((series) => service === undefined || series.service === service)
    .filter((series) => statistic === undefined || statisticOf(series, about) === statistic)
    .map((series) => presentSeries(series, about, question))
    .filter(({ timestamps }) => timestamps.length > 0);
}

/** Metrics whose name, help, unit or service contains every word of `text`. */
export function searchMetrics(
  all: RecordedSeries[],
  about: MetricsFile,
  { text = '', service, limit }: { text?: string; service?: string; limit: number },
) {
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean);
  const found = new Map<string, { services: Set<string>; statistics: Set<string> }>();
  for (const series of all) {
    if (service !== undefined && series.service !== service) continue;
    const { help = '', unit = '' } = about[series.metric] ?? {};
    const haystack = `${series.metric} ${help} ${unit} ${series.service}`.toLowerCase();
    if (!words.every((word) => haystack.includes(word))) continue;
    const entry = found.get(series.metric) ?? { services: new Set(), statistics: new Set() };
    found.set(series.metric, entry);
    entry.services.add(series.service);
    const statistic = statisticOf(series, about);
    if (statistic) entry.statistics.add(statistic);
  }
  return [...found].slice(0, limit).map(([metric, { services, statistics }]) => ({
    metric,
    services: [...services].slice(0, MAX_SERVICES),
    service_count: services.size,
    statistics: [...statistics],
    unit: about[metric]?.unit,
    type: about[metric]?.type ?? 'gauge',
    help: about[metric]?.help,
  }));
}
