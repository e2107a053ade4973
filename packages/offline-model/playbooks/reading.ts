/**
 * Finds what a person's words name: signals, services, limits, times, quoted text. Whatever it misses is not
 * understood, and the playbooks say so.
 */
import { convert, isUnit } from '@casebook/wording';
import type { SearchMetricsResult } from '../../../src/features/tools/results.ts';
import { namesIn, words } from './investigation/words.ts';

/** A kind of signal, and how to recognize its metrics. */
export interface Signal {
  id: string;
  title: string;
  said: RegExp;
  /** Words that metrics and alerts of it use. */
  words: string;
  named: RegExp;
  better?: RegExp;
  worse?: RegExp;
  /** The direction in which a change is bad. */
  direction: 'above' | 'below' | 'both';
  /** The smallest change worth a finding. */
  leastChange?: [value: number, unit: string];
}

const RESOURCES: [id: string, said: RegExp, words: string, named: RegExp][] = [
  ['CPU usage', /\b(?:cpu|processor)\b/iu, 'cpu load', /cpu/i],
  ['memory usage', /\b(?:memory|ram|heap|rss|oom)\b/iu, 'memory heap rss', /mem|rss|heap/i],
  ['connections', /\b(?:connections?|pool)\b(?! (?:refused|reset))/iu, 'connection pool', /conn|pool/i],
  ['queue', /\b(?:queues?|backlog|lag|pending)\b/iu, 'queue backlog lag', /queue|backlog|pending|lag/i],
  ['disk usage', /\b(?:disks?|storage|filesystem)\b/iu, 'disk filesystem', /disk|filesystem|storage|volume/i],
  ['throttling', /\bthrottl\w*/iu, 'throttled', /throttl/i],
  ['restarts', /\brestart\w*/iu, 'restarts', /restart/i],
  ['utilization', /\b(?:saturat\w+|utili[sz]ation)\b/iu, 'utilization', /utili|saturation|usage/i],
];
export const SIGNALS: readonly Signal[] = [
  {
    id: 'errors',
    title: 'error rate',
    said: /\b(?:errors?|fail\w*|faults?|5xx|5\d\ds?|exceptions?|broken|crash\w*|(?<!-)down|unavailab\w*)\b/iu,
    words: 'errors error faults failed 5xx availability',
    named: /err|fail|fault|5xx|availab/i,
    better: /ratio|percent|http|request/i,
    worse: /retr|drop|evict|throttl|restart|client|log|duration/i,
    direction: 'above',
    leastChange: [1, '%'],
  },
  {
    id: 'latency',
    title: 'latency',
    said: /\b(?:latenc(?:y|ies)|respon\w+|durations?|slow\w*|delay\w*|hang\w*|time-?outs?|p\d{2,3})\b/iu,
    words: 'latency duration response time p95 p99',
    named: /latenc|^lat\b|duration|response_?time|elapsed|delay/i,
    better: /http|request|response|rpc|server|^latency/i,
    worse: /db_|query|pool|wait|gc_|eventloop|lag|dns|client|queue|cpu|_count$|_bucket$/i,
    direction: 'above',
    leastChange: [50, 'ms'],
  },
  ...RESOURCES.map(([title, said, words, named]): Signal => {
    const worse = /limit|total_bytes|free|avail|max|eventloop/i;
    return { id: title.split(' ')[0]?.toLowerCase() ?? '', title, said, words, named, worse, direction: 'above' };
  }),
  {
    id: 'traffic',
    title: 'request rate',
    said: /\b(?:traffic|throughput|load|requests?|rps|qps)\b/iu,
    words: 'requests traffic',
    named: /request|rps|qps|throughput|traffic|calls|load/i,
    better: /http|requests_total|rps/i,
    worse: /bytes|network|graph|client|duration|latenc|fail|err|load_?average|load\d/i,
    direction: 'both',
  },
  {
    id: 'availability',
    title: 'availability',
    said: /\b(?:availability|uptime|success rate)\b/iu,
    words: 'availability success',
    named: /availab|success|uptime/i,
    direction: 'below',
  },
];

/** The signals that a text names, in order of appearance. */
export function signalsIn(text: string): Signal[] {
  const plain = text
    .replace(/\berror (?:lines?|messages?|logs?)\b/giu, 'log')
    .replace(/\b(?:error|failure|request)[- ](rate|ratio)s?\b/giu, (said) =>
      /request/i.test(said) ? 'traffic' : 'errors',
    );
  const found = SIGNALS.flatMap((signal) => {
    const at = plain.search(signal.said);
    return at < 0 ? [] : [{ signal, at }];
  });
  return found.toSorted((a, b) => a.at - b.at).map(({ signal }) => signal);
}

interface ChosenMetric {
  metric: string;
  statistic?: string;
  unit?: string;
}

type Descriptor = SearchMetricsResult['metrics'][number];

/** Prometheus sources derive this ratio from a counter of requests by status. */
const ERROR_RATIO = ':error_ratio';
const REQUESTS = /requests?(?:_count)?_total$/i;
const NO_REQUESTS = /fail|error|graph|client|retr|drop|prometheus|promhttp|scrape|grafana|loki/i;
const INTERNAL =
  /^(?:go_|promhttp_|prometheus_|scrape_|net_conntrack_|python_|process_(?:start|virtual|max|open)|up$)/i;

/** The metric of a service that best measures a signal. */
export function metricFor(
  signal: Signal,
  metrics: readonly Descriptor[],
  kind: string,
  statistic?: string,
): ChosenMetric | undefined {
  const score = ({ metric, unit }: Descriptor): number =>
    (signal.better?.test(metric) ? 4 : 0) -
    (signal.worse?.test(metric) ? 6 : 0) +
    (signal.id === 'errors' && (unit === 'ratio' || /ratio|percent|rate$/.test(metric)) ? 8 : 0) -
    metric.length / 200;
  const fitting = metrics.filter(({ metric }) => signal.named.test(metric) && !INTERNAL.test(metric));
  const best = fitting.toSorted((a, b) => score(b) - score(a))[0];
  const isCounted = best === undefined || !/ratio|percent|rate$/.test(best.metric);
  if (signal.id === 'errors' && kind === 'prometheus' && isCounted) {
    const counter = metrics.find(({ metric }) => REQUESTS.test(metric) && !NO_REQUESTS.test(metric));
    if (counter) return { metric: `${counter.metric}${ERROR_RATIO}`, unit: 'ratio' };
  }
  if (!best) return undefined;
  const has = (said?: string): string | undefined => best.statistics.find((one) => one.toLowerCase() === said);
  const chosen = has(statistic) ?? (signal.id === 'latency' ? has('p95') : undefined);
  return {
    metric: best.metric,
    ...(chosen !== undefined && { statistic: chosen }),
    ...(best.unit !== undefined && { unit: best.unit }),
  };
}

export function statisticIn(text: string): string | undefined {
  return /\b(?:p\d{2,3}|average|max|min)\b/iu.exec(text)?.[0].toLowerCase();
}

/** Parts of names that do not identify a service. */
const COMMON_PARTS = new Set(['service', 'server', 'api', 'app', 'svc', 'prod', 'production', 'main']);

/** The services that a text names: in full, or by a part that only one of them has. */
export function servicesIn(text: string, services: readonly string[]): string[] {
  const named = namesIn(text, services);
  if (named.length > 0) return named.filter((one) => !named.some((other) => other !== one && covers(text, other, one)));
  const said = words(text).filter((word) => !COMMON_PARTS.has(word));
  return services.filter((service) => {
    const own = words(service).filter((part) => said.includes(part));
    return own.some((part) => services.filter((other) => words(other).includes(part)).length === 1);
  });
}

/** `cart` is not named where only `cart-db` is. */
function covers(text: string, longer: string, shorter: string): boolean {
  return longer.includes(shorter) && !namesIn(text.replaceAll(longer, ' '), [shorter]).includes(shorter);
}

/** Words after `of` or `for` that are not services. */
const NO_SERVICE =
  /^(?:it|its|them|that|this|those|these|us|me|you|all|any|every\w*|each|the|a|an|whole|last|past|next|least|more|less|seconds?|minutes?|hours?|days?|logs?|errors?|metrics?|latency|cpu|memory|traffic|requests?|services?|new|something|anything|usual|once|twice|now|today|yesterday|what|which|p\d+|\d.*)$/iu;

/** The word where a service name would be. */
export function unknownServiceIn(text: string): string | undefined {
  const found = text.matchAll(
    /\b(?:of|for|from|in|about|watch|monitor|on)\s+(?:the\s+|our\s+|my\s+)?([\p{L}][\p{L}\d._-]+)/giu,
  );
  return [...found].map(([, object = '']) => object).find((object) => !NO_SERVICE.test(object));
}

export interface Limit {
  operator: '>' | '>=' | '<' | '<=';
  value: number;
  unit?: string;
}

const OPERATORS: [RegExp, Limit['operator']][] = [
  [/^(?:>=|≥|at least)$/iu, '>='],
  [/^(?:<=|≤|at most)$/iu, '<='],
  [/^(?:<|below|under|less than|fewer than|lower than|drops? to|falls? to)$/iu, '<'],
];
const LIMIT =
  /(>=|<=|≥|≤|>|<|\b(?:at least|at most|above|over|exceeds?|more than|greater than|higher than|longer than|below|under|less than|fewer than|lower than|(?:drops?|falls?) to)\b)\s*(\d+(?:[.,]\d+)?)\s*(%|percent\b|[a-zµ]+(?:\/s)?\b)?/iu;

/** Such as `above 5 %`. */
export function limitIn(text: string): Limit | undefined {
  const [, said = '', figure = '', unit] = LIMIT.exec(text) ?? [];
  if (figure === '') return undefined;
  return {
    operator: OPERATORS.find(([pattern]) => pattern.test(said))?.[1] ?? '>',
    value: Number(figure.replace(',', '.')),
    ...(unit !== undefined && isUnit(unit) && { unit }),
  };
}

/**
 * Converts a person's figure to a metric's unit.
 * @returns undefined if the units do not convert
 */
export function inUnit(value: number, said: string | undefined, unit: string | undefined): number | undefined {
  if (said === undefined) return value;
  if (unit !== undefined && isUnit(unit)) return convert(value, said, unit);
  return convert(value, said, 'ratio') ?? (unit === undefined ? value : undefined);
}

export function withoutQuotes(text: string): string {
  return text.replaceAll(/["“`][^"”`\n]*["”`]/gu, ' ');
}

export function quotedIn(text: string): string[] {
  return [...text.matchAll(/["“`]([^"”`\n]{1,200})["”`]/gu)].map(([, quoted = '']) => quoted.trim()).filter(Boolean);
}
