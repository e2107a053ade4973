/** What a recorded incident is asked. */
import { changesFile, incidentFile, metricsFile, servicesFile } from './schema.ts';
import { QueryError } from '../connector.ts';
import { readJson } from './files.ts';
import { ratesOf, readEdges, readSeries } from './tables.ts';

/** What happened, when, and which alerts fired. */
export async function describeIncident(folder: string, signal: AbortSignal) {
  const incident = await readJson(folder, 'incident.json', incidentFile, signal);
  if (!incident) throw new QueryError('failed', 'incident.json is missing');
  return incident;
}

/** Every service that any file knows. */
export async function services(folder: string, signal: AbortSignal) {
  const found = new Map<string, { name: string; description?: string; metrics: number }>();
  const entry = (name: string) => {
    const known = found.get(name) ?? { name, metrics: 0 };
    found.set(name, known);
    return known;
  };
  for (const { name, description } of (await readJson(folder, 'services.json', servicesFile, signal)) ?? [])
    Object.assign(entry(name), description !== undefined && { description });
  for (const { caller, callee } of await readEdges(folder, signal)) [caller, callee].forEach(entry);
  const pairs = new Map(
    (await readSeries(folder, signal)).map((series) => [`${series.service}\0${series.metric}`, series]),
  );
  for (const { service } of pairs.values()) entry(service).metrics++;
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Metrics whose name, help, unit or service has every word of `text`. */
export async function metrics(folder: string, text: string | undefined, signal: AbortSignal) {
  const about = (await readJson(folder, 'metrics.json', metricsFile, signal)) ?? {};
  const words = (text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const found = new Map<string, { services: Set<string>; statistics: Set<string> }>();
  for (const { service, metric, statistic } of await readSeries(folder, signal)) {
    const { help = '', unit = '' } = about[metric] ?? {};
    const haystack = `${metric} ${help} ${unit} ${service}`.toLowerCase();
    if (!words.every((word) => haystack.includes(word))) continue;
    const entry = found.get(metric) ?? { services: new Set(), statistics: new Set() };
    found.set(metric, entry);
    entry.services.add(service);
    if (statistic) entry.statistics.add(statistic);
  }
  return [...found].map(([metric, { services, statistics }]) => ({
    metric,
    services: [...services],
    statistics: [...statistics],
    type: 'gauge',
    ...about[metric],
  }));
}

export interface MetricQuestion {
  metric: string;
  service?: string;
  /** Unix seconds, half-open. */
  from: number;
  to: number;
  /** Of each series: every n-th sample is given so that there are no more. */
  max_points: number;
}

/** The samples of a metric; of a counter, its rate per second. A missing sample is null. */
export async function queryMetric(folder: string, question: MetricQuestion, signal: AbortSignal) {
  const about = (await readJson(folder, 'metrics.json', metricsFile, signal)) ?? {};
  const { type, unit } = about[question.metric] ?? {};
  const ofMetric = (await readSeries(folder, signal)).filter(({ metric }) => metric === question.metric);
  if (ofMetric.length === 0)
    throw new QueryError('not_found', `there is no metric "${question.metric}"; metrics lists those there are`);
  return ofMetric
    .filter(({ service }) => question.service === undefined || service === question.service)
    .map((series) => {
      const values = type === 'counter' ? ratesOf(series) : series.values;
      const inWindow = series.timestamps.flatMap((at, i) => (at >= question.from && at < question.to ? [i] : []));
      const step = Math.max(1, Math.ceil(inWindow.length / question.max_points));
      const kept = inWindow.filter((_, i) => i % step === 0);
      return {
        service: series.service,
        metric: series.metric,
        statistic: type === 'counter' ? 'rate' : series.statistic,
        unit: type === 'counter' ? `${unit ?? '1'}/s` : unit,
        timestamps: kept.map((i) => series.timestamps[i]!),
        values: kept.map((i) => (Number.isNaN(values[i]) ? null : values[i])),
      };
    });
}

/** Deploys, flags, configuration, scaling; in the order of time. */
export async function changes(folder: string, signal: AbortSignal) {
  return ((await readJson(folder, 'changes.json', changesFile, signal)) ?? []).sort((a, b) => a.at - b.at);
}
