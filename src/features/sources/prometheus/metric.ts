import { metricMeaning } from '../../diagnosis/index.ts';
import { SourceError, type MetricDescriptor } from '../port.ts';
import { quoteString } from '../query-language.ts';
import type { PrometheusMetadata } from './client.ts';

export type MetricType = MetricDescriptor['type'];

/** A metric as people name it: `_bucket`, `_sum` and `_count` of a histogram are one. */
export interface Metric {
  name: string;
  type: MetricType;
  help?: string;
  unit?: string;
  /** A series name that exists when the metric does. */
  seriesName: string;
}

/** Suffix for the share of failed requests, computed from a request counter with a status label. */
export const ERROR_RATIO_SUFFIX = ':error_ratio';

const validName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/** @throws {SourceError} when the text cannot be a metric's name */
export function checkMetricName(name: string): void {
  if (!validName.test(name)) throw new SourceError(`"${name.slice(0, 80)}" is not the name of a Prometheus metric`);
}

/** The metrics behind a server's series names, with types from its metadata or else from their suffixes. */
export function toMetrics(seriesNames: string[], metadata: PrometheusMetadata): Map<string, Metric> {
  const all = new Set(seriesNames);
  const metrics = new Map<string, Metric>();
  for (const seriesName of seriesNames) {
    // Prometheus' own record of its alerts, which have their own call.
    if (seriesName === 'ALERTS' || seriesName === 'ALERTS_FOR_STATE') continue;
    const base = seriesName.replace(/_(bucket|sum|count)$/, '');
    const stated = metadata[base]?.[0]?.type;
    let name = seriesName;
    let type = typeOf(metadata[seriesName]?.[0]?.type ?? metadata[seriesName.replace(/_total$/, '')]?.[0]?.type);
    if (base !== seriesName && (stated === 'histogram' || all.has(`${base}_bucket`))) {
      if (seriesName !== `${base}_bucket`) continue;
      name = base;
      type = 'histogram';
    } else if (base !== seriesName && stated === 'summary') {
      if (seriesName !== `${base}_count`) continue;
      name = base;
      type = 'summary';
    } else if (type === 'summary') {
      // The quantiles of a summary; its _count represents it.
      if (all.has(`${seriesName}_count`)) continue;
    } else if (type === 'unknown' && /_(total|count|sum)$/.test(seriesName)) type = 'counter';
    else if (type === 'unknown' && !metadata[seriesName]) type = 'gauge';
    const described = metadata[name]?.[0] ?? metadata[name.replace(/_total$/, '')]?.[0];
    metrics.set(name, {
      name,
      type,
      seriesName,
      help: described?.help || undefined,
      unit: described?.unit || unitOf(name),
    });
  }
  return metrics;
}

function typeOf(stated: string | undefined): MetricType {
  return stated === 'counter' || stated === 'gauge' || stated === 'histogram' || stated === 'summary'
    ? stated
    : 'unknown';
}

function unitOf(name: string): string | undefined {
  const suffix = /_(seconds|milliseconds|bytes|ratio|percent|celsius)(_total)?$/.exec(name)?.[1];
  const units: Record<string, string> = { seconds: 's', milliseconds: 'ms', bytes: 'B', ratio: 'ratio', percent: '%' };
  return suffix && (units[suffix] ?? suffix);
}

const quantiles: Record<string, string> = { p50: '0.5', p90: '0.9', p95: '0.95', p99: '0.99' };

/** The statistics a metric has; {@link defaultStatistics} are the first of them. */
export function statisticsOf({ name, type }: Metric): string[] {
  if (name.endsWith(ERROR_RATIO_SUFFIX)) return ['ratio'];
  if (type === 'counter') return ['rate'];
  if (type === 'histogram' || type === 'summary') return ['p50', 'p95', 'p99', 'average', 'rate', 'p90'];
  return ['average', 'max', 'min', 'sum'];
}

/** The statistics that a query returns by default. */
export function defaultStatistics(metric: Metric): string[] {
  const all = statisticsOf(metric);
  return metric.type === 'histogram' || metric.type === 'summary' ? all.slice(0, 4) : all.slice(0, 1);
}

/** The unit of a statistic of a metric. */
export function unitOfStatistic({ unit, type }: Metric, statistic: string): string | undefined {
  if (statistic === 'ratio') return 'ratio';
  if (statistic !== 'rate') return unit;
  return type === 'counter' && unit ? `${unit}/s` : '1/s';
}

/**
 * The PromQL of one statistic of a metric, one series per value of `label`.
 * @param matchers label matchers, already quoted
 * @param rateSeconds window of rates
 * @param statusLabel label with a request's status, for error ratios
 */
export function statisticExpression(
  metric: Metric,
  statistic: string,
  options: { label: string; matchers: string[]; rateSeconds: number; statusLabel?: string },
): string {
  if (!statisticsOf(metric).includes(statistic)) {
    throw new SourceError(
      `${metric.name} is a ${metric.type} and has no statistic "${statistic.slice(0, 40)}"; it has ${statisticsOf(metric).join(', ')}`,
    );
  }
  const { label, matchers } = options;
  const name = metric.name;
  const select = (series: string, more: string[] = []) => {
    const all = [...matchers, ...more].join(',');
    return all ? `${series}{${all}}` : series;
  };
  const rate = (series: string, more: string[] = []) => `rate(${select(series, more)}[${options.rateSeconds}s])`;
  const sumRate = (series: string, more: string[] = []) => `sum by (${label}) (${rate(series, more)})`;
  const q = quantiles[statistic];
  if (statistic === 'ratio') {
    const counter = name.slice(0, -ERROR_RATIO_SUFFIX.length);
    const failed = sumRate(counter, [`${options.statusLabel ?? 'code'}=~"5.."`]);
    // Without the zero, a service that never failed would have no series to compare with.
    return `(${failed} or ${sumRate(counter)} * 0) / ${sumRate(counter)}`;
  }
  if (q && metric.type === 'histogram') {
    return `histogram_quantile(${q}, sum by (${label}, le) (${rate(`${name}_bucket`)}))`;
  }
  if (q) return `max by (${label}) (${select(name, [`quantile=${quoteString(q)}`])})`;
  if (metric.type === 'histogram' || metric.type === 'summary') {
    return statistic === 'rate' ? sumRate(`${name}_count`) : `${sumRate(`${name}_sum`)} / ${sumRate(`${name}_count`)}`;
  }
  if (statistic === 'rate') return sumRate(name);
  return `${statistic === 'average' ? 'avg' : statistic} by (${label}) (${select(name)})`;
}

const runtimeNoise =
  /^(go_|promhttp_|prometheus_|scrape_|net_conntrack_|python_gc_|python_info|process_(start|virtual|max)|nodejs_(heap_space|version|active_(resources|handles|requests))|jvm_(info|classes|buffer)|ALERTS|loki_|.*_(created|info|build_info|timestamp_seconds)$)/;

/** The meanings a ranking uses, most telling first, and the maximum number of metrics of each. */
const surveyShares: readonly [ReturnType<typeof metricMeaning>, number][] = [
  ['errors', 12],
  ['latency', 8],
  ['saturation', 14],
  ['availability', 4],
  ['traffic', 6],
  ['headroom', 4],
];

/**
 * The metrics that show how services fare, a bounded number of each meaning; those with more services come first.
 * @param coverage services a metric has
 */
export function chooseForSurvey(metrics: Iterable<Metric>, coverage: (metric: Metric) => number): Metric[] {
  const useful = [...metrics].filter(({ name }) => !runtimeNoise.test(name));
  return surveyShares.flatMap(([meaning, share]) =>
    useful
      .filter((metric) => metricMeaning(metric.name) === meaning && coverage(metric) > 0)
      .sort((a, b) => coverage(b) - coverage(a) || (a.name < b.name ? -1 : 1))
      .slice(0, share),
  );
}

/** True for names that the survey never queries. */
export function isRuntimeNoise(name: string): boolean {
  return runtimeNoise.test(name);
}
