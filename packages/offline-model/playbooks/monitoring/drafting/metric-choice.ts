/** Which metric measures what a person speaks of. */
import { metricMeaning } from '../../metric-meaning.ts';
import type { SearchMetricsResult } from '../../../../../src/features/tools/results.ts';
import { words } from '../../investigation/words.ts';
import { unitKind, unitOfMetric } from '../reading/units.ts';
import type { Subject } from '../reading/wish.ts';

type Descriptor = SearchMetricsResult['metrics'][number];
type MetricSubject = Extract<Subject, { kind: 'metric' }>;

export interface ChosenMetric {
  metric: string;
  statistic?: string;
  /** As far as it is known before it is read. */
  unit?: string;
  /** A statistic that was asked for and that there is not. */
  lacks?: string;
}

const MOST_CHOICES = 3;
/** The share of failed requests, which Prometheus sources compute from a counter of requests by status. */
const ERROR_RATIO = ':error_ratio';
const REQUESTS = /requests?(?:_count)?_total$|requests_total$|^istio_requests_total$/i;
const NO_REQUESTS = /fail|error|graph|client|retr|drop|prometheus|promhttp|scrape|grafana|loki/i;
const SHARE = /ratio|percent|pct|rate$/i;
const UNUSUAL_TO_WATCH =
  /^(?:go_|promhttp_|prometheus_|scrape_|net_conntrack_|python_|process_(?:start|virtual|max|open)|nodejs_(?:version|active)|jvm_(?:info|classes|buffer)|up$)/i;

/** The metrics that may be meant, the best first. @param kind of the source */
export function chooseMetrics(
  subject: MetricSubject,
  { metrics }: SearchMetricsResult,
  service: string | undefined,
  kind: string,
): ChosenMetric[] {
  const own = metrics.filter(
    ({ services, serviceCount }) =>
      service === undefined || services.includes(service) || serviceCount > services.length,
  );
  const { aspect, limit } = subject;
  const isShare = unitKind(limit.threshold?.unit) === 'share';
  if (aspect.id === 'errors') return errorMetrics(subject, own, kind, isShare).slice(0, MOST_CHOICES);
  const fitting = own
    .filter(({ metric }) => aspect.meanings.length === 0 || aspect.meanings.includes(metricMeaning(metric)))
    .filter(
      ({ metric, help = '' }) =>
        !aspect.named || aspect.named.test(metric) || (aspect.meanings.length > 0 && aspect.named.test(help)),
    );
  return ordered(subject, fitting)
    .slice(0, MOST_CHOICES)
    .map((one) => chosen(one, subject.statistic, aspect.id === 'latency' ? 'p95' : undefined));
}

/** A metric by its name, or by the name without its suffix. */
export function namedMetric(
  name: string,
  statistic: string | undefined,
  { metrics }: SearchMetricsResult,
): ChosenMetric | undefined {
  const plain = name.toLowerCase();
  const found =
    metrics.find(({ metric }) => metric.toLowerCase() === plain) ??
    metrics.find(
      ({ metric }) =>
        `${plain}_total` === metric.toLowerCase() ||
        plain.replace(/_(?:bucket|sum|count)$/, '') === metric.toLowerCase(),
    );
  if (found) return chosen(found, statistic, found.type === 'histogram' ? 'p95' : undefined);
  const counter = plain.endsWith(ERROR_RATIO) ? plain.slice(0, -ERROR_RATIO.length) : undefined;
  const base = metrics.find(({ metric }) => metric.toLowerCase() === counter);
  return base && { metric: `${base.metric}${ERROR_RATIO}`, unit: 'ratio' };
}

function errorMetrics(
  subject: MetricSubject,
  own: readonly Descriptor[],
  kind: string,
  isShare: boolean,
): ChosenMetric[] {
  if (subject.success) {
    const fitting = own.filter(({ metric }) => metricMeaning(metric) === 'availability' && /succe|avail/i.test(metric));
    return ordered(subject, fitting).map((one) => chosen(one, subject.statistic, undefined));
  }
  const failing = own.filter(({ metric }) => metricMeaning(metric) === 'errors' && subject.aspect.named?.test(metric));
  const isRatio = ({ metric, unit }: Descriptor): boolean =>
    unitKind(unitOfMetric(metric, unit)) === 'share' ||
    (unit === undefined && SHARE.test(metric) && !metric.endsWith('_total'));
  const shares = ordered(subject, failing.filter(isRatio)).map((one) => chosen(one, subject.statistic, undefined));
  const computed =
    kind === 'prometheus'
      ? ordered(
          subject,
          own.filter(({ metric, type }) => type === 'counter' && REQUESTS.test(metric) && !NO_REQUESTS.test(metric)),
        ).map(({ metric }): ChosenMetric => ({ metric: `${metric}${ERROR_RATIO}`, unit: 'ratio' }))
      : [];
  const counted = ordered(
    subject,
    failing.filter((one) => !isRatio(one)),
  ).map((one) => chosen(one, undefined, undefined));
  return [...shares, ...computed, ...(isShare ? [] : counted)];
}

function ordered({ aspect, statistic, limit }: MetricSubject, fitting: readonly Descriptor[]): Descriptor[] {
  const kind = unitKind(limit.threshold?.unit);
  const said = new Set(words(limit.threshold?.unit ?? ''));
  const score = (one: Descriptor): number => {
    const unit = unitKind(unitOfMetric(one.metric, one.unit));
    return (
      (aspect.better?.test(one.metric) ? 4 : 0) -
      (aspect.worse?.test(one.metric) ? 6 : 0) -
      (UNUSUAL_TO_WATCH.test(one.metric) ? 8 : 0) +
      (statistic !== undefined && statisticIn(one.statistics, statistic) !== undefined ? 3 : 0) +
      (kind !== 'none' && unit === kind ? 5 : kind !== 'none' && unit !== 'none' ? -5 : 0) +
      (words(one.unit ?? '').some((word) => said.has(word)) ? 2 : 0) +
      Math.min(one.serviceCount, 20) / 40 -
      one.metric.length / 200
    );
  };
  return fitting.toSorted((a, b) => score(b) - score(a) || (a.metric < b.metric ? -1 : 1));
}

function chosen(
  { metric, statistics, unit }: Descriptor,
  said: string | undefined,
  usual: string | undefined,
): ChosenMetric {
  const found = said === undefined ? undefined : statisticIn(statistics, said);
  const fallback =
    statistics.length > 1
      ? ((usual && statisticIn(statistics, usual)) ?? statisticIn(statistics, 'average') ?? statistics[0])
      : undefined;
  // The average is what a source gives unasked.
  const statistic =
    found ?? (fallback?.toLowerCase() === 'average' && statistics[0] === fallback ? undefined : fallback);
  const known = unitOfMetric(metric, unit);
  return {
    metric,
    ...(statistic !== undefined && { statistic }),
    ...(known !== undefined && { unit: known }),
    ...(said !== undefined &&
      found === undefined &&
      !(said === 'average' && statistics.length <= 1) && { lacks: said }),
  };
}

function statisticIn(statistics: readonly string[], said: string): string | undefined {
  return statistics.find((one) => one.toLowerCase() === said.toLowerCase());
}
