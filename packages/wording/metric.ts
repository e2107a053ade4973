/** Metrics in plain words, by the naming habits of exporters. */
import { code } from './code.ts';

export interface MetricName {
  metric: string;
  statistic?: string;
}

/** The first that fits a name's lower-case words. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [
    /\bpool\b.*\b(wait|acquire)\b(?!.*\brequests?\b)|\bconnections? (acquire|acquisition|wait)/,
    'wait for a pooled connection',
  ],
  [/\bpool\b.*\b(pending|waiting|waiters)\b/, 'requests waiting for a pooled connection'],
  [/\bpool\b.*\b(in use|used|active|busy)\b/, 'pooled connections in use'],
  [/\bpool\b.*\b(size|max|limit)\b/, 'connection pool size'],
  [/\bevent ?loop\b/, 'event loop lag'],
  [/\bgc\b|garbage/, 'garbage collection'],
  [/\bcpu\b.*\bthrottl/, 'CPU throttling'],
  [/\bcpu\b/, 'CPU usage'],
  [/\bheap\b/, 'heap usage'],
  [/\b(memory|mem|rss)\b/, 'memory usage'],
  [/\bactive connections?\b/, 'active connections'],
  [/\bconnections?\b/, 'connections'],
  [/\brestarts?\b/, 'container restarts'],
  [/\breplicas?\b/, 'available replicas'],
  [/\bthreads?\b|\bgoroutines\b/, 'threads'],
  [/\b(db|sql|query|statement)\b.*\b(duration|latency|time|seconds|ms)\b/, 'database query time'],
  [/\bservice graph\b.*\bfailed\b/, 'failed calls'],
  [/\b(client|outgoing|upstream|egress)\b.*\b(duration|latency|seconds|time)\b/, 'outgoing call latency'],
  [/\b(duration|latency|latencies|response ?time|elapsed|rtt)\b/, 'latency'],
  [/\b(error|err|failure|fault) (ratio|rate|percent|percentage)\b|\berrorrate\b/, 'error rate'],
  [/\b(errors?|failures?|failed|faults?|exceptions?|5xx)\b/, 'errors'],
  [/^up$/, 'scrape success'],
  [/\b(success|availability)\b/, 'success rate'],
  [/\b(queue|backlog)\b/, 'queue length'],
  [/\bdisk\b.*\breads?\b/, 'disk reads'],
  [/\bdisk\b.*\bwrites?\b/, 'disk writes'],
  [/\b(disk|filesystem|fs)\b/, 'disk usage'],
  [/\bnetwork\b|\b(receive|transmit)\b/, 'network traffic'],
  [/\b(requests?|calls?|rps|qps)\b/, 'request rate'],
];
const STATISTICS: readonly (readonly [RegExp, (meaning: string) => string])[] = [
  [/^p?(?:0?\.5|50)(?:th)?$|^median$/i, (meaning) => `median ${meaning}`],
  [/^max(?:imum)?$/i, (meaning) => `maximum ${meaning}`],
  [/^min(?:imum)?$/i, (meaning) => `minimum ${meaning}`],
];
const PERCENTILE = /^(?:p|q)?(?:0?\.)?(\d{2})(\d)?(?:th)?$/i;
const IN_NAME = /[_.:-](p\d{2,3}|q\d{2,3})$/i;

/**
 * ``p95 latency (`http_request_duration_p95`)``: what a metric measures, then its name. A metric of unknown meaning is
 * its name alone.
 */
export function metricPhrase({ metric, statistic = IN_NAME.exec(metric)?.[1] }: MetricName): string {
  const words = metric
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, ' ');
  const [, meaning] = MEANINGS.find(([named]) => named.test(words)) ?? [];
  const named = code(metric);
  if (meaning === undefined) return statistic === undefined ? named : `${named} (${code(statistic, 20)})`;
  return `${withStatistic(meaning, statistic)} (${named})`;
}

function withStatistic(meaning: string, statistic: string | undefined): string {
  if (statistic === undefined) return meaning;
  const [, said] = STATISTICS.find(([named]) => named.test(statistic)) ?? [];
  if (said) return said(meaning);
  const [, whole, tenth] = PERCENTILE.exec(statistic) ?? [];
  if (whole === undefined) return meaning;
  return `p${whole}${tenth === undefined ? '' : `.${tenth}`} ${meaning}`;
}
