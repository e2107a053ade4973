import type { Transport } from '@casebook/connectors';
import { LRUCache } from 'lru-cache';
import { systemClock, type Clock } from '../../../platform/clock.ts';
import { mapConcurrently } from '../../../platform/concurrency.ts';
import {
  SourceError,
  type MetricDescriptor,
  type MetricQuery,
  type MetricSeries,
  type ServiceSummary,
  type SourceCapability,
  type SourceOwner,
  type SurveyQuery,
  type TelemetrySource,
  type TimeWindow,
} from '../port.ts';
import { equals, oneOf, quoteString } from '../query-language.ts';
import { readAlerts } from './alerts.ts';
import { createPrometheusClient, stepFor } from './client.ts';
import { readCoverage } from './coverage.ts';
import {
  checkMetricName,
  chooseForSurvey,
  defaultStatistics,
  ERROR_RATIO_SUFFIX,
  isRuntimeNoise,
  statisticExpression,
  statisticsOf,
  toMetrics,
  unitOfStatistic,
  type Metric,
} from './metric.ts';
import { readServiceGraph } from './service-graph.ts';
import { findServices, listingLabels, preferredLabels, type MetricServices } from './service-label.ts';

const capabilities: SourceCapability[] = ['services', 'metrics', 'promql', 'dependencies', 'alerts'];

/** Maximum number of concurrent queries: a server under stress must not be the second victim. */
const CONCURRENCY = 4;
/** Maximum number of metrics whose services are looked up for one search. */
const MAX_LOOKED_UP = 300;
const MAX_SURVEY_METRICS = 600;
const MAX_SURVEY_SERIES = 20_000;
/** Assumed when the server does not say. */
const FALLBACK_SCRAPE_SECONDS = 60;

/** A cached scrape interval of one server, in seconds. */
export type ScrapeIntervals = LRUCache<'scrape', number>;

/** Shared by sources of one server that are created repeatedly, so that it is not asked each time. */
export function createScrapeIntervals(): ScrapeIntervals {
  return new LRUCache({ max: 1, ttl: 60_000 });
}

/** A telemetry source over a server with Prometheus' HTTP API, over any transport. */
export function createPrometheusSource(options: {
  transport: Transport;
  id?: string;
  owner?: SourceOwner;
  clock?: Clock;
  intervals?: ScrapeIntervals;
}): TelemetrySource {
  const {
    transport,
    id = 'prometheus',
    owner = 'installation',
    clock = systemClock,
    intervals = createScrapeIntervals(),
  } = options;
  const client = createPrometheusClient(transport);

  const scrapeSeconds = async (signal: AbortSignal): Promise<number> => {
    const known = intervals.get('scrape');
    if (known !== undefined) return known;
    let found: number[] = [];
    try {
      found = (await client.scrapeIntervals(signal)).map(parseDuration).filter((seconds) => seconds > 0);
    } catch (error) {
      // Thanos and Mimir have no targets of their own.
      if (!(error instanceof SourceError)) throw error;
    }
    found.sort((a, b) => a - b);
    const median = found[Math.floor(found.length / 2)] ?? FALLBACK_SCRAPE_SECONDS;
    intervals.set('scrape', median);
    return median;
  };

  const allMetrics = async (signal: AbortSignal, selectors: string[] = []): Promise<Map<string, Metric>> => {
    const [names, metadata] = await Promise.all([
      client.labelValues('__name__', selectors, signal),
      client.metadata(signal).catch((error: unknown) => {
        if (error instanceof SourceError) return {};
        throw error;
      }),
    ]);
    return toMetrics(names, metadata);
  };

  const timing = async (window: TimeWindow, maxPoints: number, signal: AbortSignal) => {
    const scrape = await scrapeSeconds(signal);
    const step = stepFor(window, maxPoints, scrape);
    return { step, rateSeconds: Math.ceil(Math.max(step, 4 * scrape)) };
  };

  const runStatistic = async (
    metric: Metric,
    statistic: string,
    where: MetricServices,
    query: TimeWindow & { matchers: string[]; step: number; rateSeconds: number },
    signal: AbortSignal,
  ): Promise<MetricSeries[]> => {
    const { label, statusLabel } = where;
    const expr = statisticExpression(metric, statistic, { ...query, label, statusLabel });
    const answers = await client.queryRange(expr, query, query.step, signal);
    return answers.map(({ labels, timestamps, values }) => ({
      service: labels[label] ?? '',
      metric: metric.name,
      statistic,
      unit: unitOfStatistic(metric, statistic),
      timestamps,
      values,
    }));
  };

  const resolve = async (name: string, window: TimeWindow, signal: AbortSignal) => {
    checkMetricName(name);
    const counter = name.endsWith(ERROR_RATIO_SUFFIX) ? name.slice(0, -ERROR_RATIO_SUFFIX.length) : name;
    const bare = counter.replace(/_(bucket|sum|count)$/, '');
    const series = [counter, bare].flatMap((base) => [base, `${base}_bucket`, `${base}_count`, `${base}_sum`]);
    const metrics = await allMetrics(signal, [`{${oneOf('__name__', [...new Set(series)])}}`]);
    const metric = metrics.get(counter) ?? metrics.get(bare);
    if (!metric) {
      throw new SourceError(
        `Prometheus has no metric "${name.slice(0, 100)}"; search_metrics finds the existing names`,
      );
    }
    const where = await findServices(client, [metric.seriesName], [window.from, window.to], signal);
    const services = where.get(metric.seriesName) ?? {
      label: preferredLabels(metric.seriesName).at(-1)!,
      services: [],
    };
    if (name !== counter && !services.statusLabel) {
      throw new SourceError(`${counter} has no label with the status of requests, so ${name} does not exist`);
    }
    return { metric: name === counter ? metric : { ...metric, name }, where: services };
  };

  const queryMetric = async (query: MetricQuery, signal: AbortSignal): Promise<MetricSeries[]> => {
    const { metric, where } = await resolve(query.metric, query, signal);
    const matchers = Object.entries(query.labels ?? {}).map(([label, value]) => equals(label, value));
    if (query.service !== undefined) matchers.push(equals(where.label, query.service));
    const when = await timing(query, query.maxPoints, signal);
    const statistics = query.statistic === undefined ? defaultStatistics(metric) : [query.statistic];
    const answers = await mapConcurrently(statistics, CONCURRENCY, (statistic) =>
      runStatistic(metric, statistic, where, { from: query.from, to: query.to, matchers, ...when }, signal),
    );
    return answers.flat();
  };

  const surveyMetrics = async (query: SurveyQuery, signal: AbortSignal): Promise<MetricSeries[]> => {
    const metrics = [...(await allMetrics(signal)).values()]
      .filter(({ name }) => !isRuntimeNoise(name))
      .slice(0, MAX_SURVEY_METRICS);
    const series = metrics.map(({ seriesName }) => seriesName);
    const where = await findServices(client, series, [query.from, query.to], signal);
    const wanted = query.services && new Set(query.services);
    const coverage = ({ seriesName }: Metric) =>
      (where.get(seriesName)?.services ?? []).filter((service) => !wanted || wanted.has(service)).length;
    const chosen = chooseForSurvey(metrics, coverage);
    const ratios = chosen
      .filter((metric) => metric.type === 'counter' && where.get(metric.seriesName)?.statusLabel)
      .map((metric) => ({ ...metric, name: metric.name + ERROR_RATIO_SUFFIX }));
    const when = await timing(query, query.maxPoints, signal);
    let count = 0;
    const answers = await mapConcurrently([...ratios, ...chosen], CONCURRENCY, async (metric) => {
      if (count >= MAX_SURVEY_SERIES) return [];
      const place = where.get(metric.seriesName)!;
      const statistic = metric.type === 'histogram' || metric.type === 'summary' ? 'p95' : statisticsOf(metric)[0]!;
      const matchers = wanted ? [oneOf(place.label, [...wanted])] : [];
      const found = await runStatistic(
        metric,
        statistic,
        place,
        { from: query.from, to: query.to, matchers, ...when },
        signal,
      );
      const named = found.filter(({ service }) => service !== '');
      count += named.length;
      return named;
    });
    return answers.flat().slice(0, MAX_SURVEY_SERIES);
  };

  const services = async (signal: AbortSignal): Promise<ServiceSummary[]> => {
    const inUse = new Set(await client.labelNames(signal));
    const graph = ['client', 'server'].filter((label) => inUse.has(label));
    const listing = listingLabels.filter((label) => inUse.has(label));
    const labels = listing.length > 0 || graph.length > 0 ? listing : ['job'];
    const summaries = new Map<string, ServiceSummary>();
    const add = (name: string, metrics: number) => {
      if (name === '' || name === 'unknown') return;
      summaries.set(name, { name, metrics: Math.max(metrics, summaries.get(name)?.metrics ?? 0) });
    };
    await mapConcurrently(labels, CONCURRENCY, async (label) => {
      for (const value of await client.labelValues(label, [], signal)) add(value, 0);
      const counts = await client.query(
        `count by (${label}) (count by (${label}, __name__) ({${label}!=""}))`,
        undefined,
        signal,
      );
      for (const { labels: row, value } of counts) add(row[label] ?? '', value);
    });
    for (const label of graph) {
      const names = await client.labelValues(label, ['traces_service_graph_request_total'], signal);
      for (const name of names) add(name, 0);
    }
    return [...summaries.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  };

  const searchMetrics = async (
    query: { text?: string; service?: string; limit: number },
    signal: AbortSignal,
  ): Promise<MetricDescriptor[]> => {
    const words = (query.text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const ofService = (service: string) =>
      [...listingLabels, 'server', 'container', 'deployment', 'job'].map(
        (label) => `{${label}=${quoteString(service)}}`,
      );
    const metrics = [
      ...(await allMetrics(signal, query.service === undefined ? [] : ofService(query.service))).values(),
    ];
    const textOf = ({ name, help = '', unit = '' }: Metric) => `${name} ${help} ${unit}`.toLowerCase();
    const names = words.length === 0 ? [] : (await services(signal)).map(({ name }) => name.toLowerCase());
    const nameable = new Set(words.filter((word) => names.some((name) => name.includes(word))));
    // A word may be part of a service's name; the services of a metric are looked up for the likely ones only.
    const likely = metrics
      .filter((metric) => words.every((word) => nameable.has(word) || textOf(metric).includes(word)))
      .sort((a, b) => Number(isRuntimeNoise(a.name)) - Number(isRuntimeNoise(b.name)) || (a.name < b.name ? -1 : 1))
      .slice(0, MAX_LOOKED_UP);
    const now = clock.now().getTime() / 1000;
    const where = await findServices(
      client,
      likely.map(({ seriesName }) => seriesName),
      [now],
      signal,
    );
    return likely
      .map((metric) => ({ metric, services: where.get(metric.seriesName)?.services ?? [] }))
      .filter(({ services: found }) => query.service === undefined || found.includes(query.service))
      .filter(({ metric, services: found }) => {
        const text = `${textOf(metric)} ${found.join(' ').toLowerCase()}`;
        return words.every((word) => text.includes(word));
      })
      .slice(0, Math.max(0, query.limit))
      .map(({ metric, services: found }) => ({
        metric: metric.name,
        services: found.slice(0, 20),
        serviceCount: found.length,
        statistics: statisticsOf(metric),
        unit: metric.unit,
        type: metric.type,
        help: metric.help,
      }));
  };

  return {
    id,
    owner,
    kind: 'prometheus',
    capabilities,
    describe: async ({ signal }) => {
      const now = clock.now().getTime() / 1000;
      const [alerts, window] = await Promise.all([readAlerts(client, now, signal), readCoverage(client, now, signal)]);
      const title = `Prometheus at ${options.transport.place}`;
      return { id, kind: 'prometheus', title, capabilities, ...(window && { window }), alerts };
    },
    services: ({ signal }) => services(signal),
    searchMetrics: (query, { signal }) => searchMetrics(query, signal),
    queryMetric: (query, { signal }) => queryMetric(query, signal),
    surveyMetrics: (query, { signal }) => surveyMetrics(query, signal),
    promql: async ({ expr, from, to, maxPoints }, { signal }) => {
      const step = stepFor({ from, to }, maxPoints, await scrapeSeconds(signal));
      return client.queryRange(expr, { from, to }, step, signal);
    },
    dependencies: (window, { signal }) => readServiceGraph(client, window, signal),
  };
}

/** Seconds of a duration in Prometheus' notation, such as `1m30s`; 0 when invalid. */
function parseDuration(text: string): number {
  const units: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+)(ms|s|m|h|d)/g)) seconds += Number(amount) * units[unit!]!;
  return seconds;
}
