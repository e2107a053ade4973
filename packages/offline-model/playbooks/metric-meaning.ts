/** What a metric measures, by its name. The server's ranker judges names alike; a playbook has only the tools' JSON. */
export type MetricMeaning = 'latency' | 'errors' | 'saturation' | 'headroom' | 'availability' | 'traffic' | 'other';

/**
 * Naming habits of Prometheus exporters, OpenTelemetry semantic conventions, CloudWatch, Istio and the Sock Shop
 * benchmarks, in order of precedence: `request_duration` is latency although it names requests, and
 * `requests_failed` is errors although it names requests. Names are matched after splitting into lower-case words.
 */
const habits: ReadonlyArray<readonly [MetricMeaning, RegExp]> = [
  ['traffic', /\b(duration|latency)( seconds| milliseconds| ms)? (count|bucket)$/],
  ['errors', /\b(un ?healthy|unavailab\w*|downtime|not (ready|available)|cache miss(es)?)\b/],
  [
    'headroom',
    /\b(free\w*|headroom|remaining|idle|credit balance|error budget|available (bytes|memory|mem|disk|space|connections|capacity)|(memory|mem|memavailable|disk|space|filesystem|fs|connections|capacity) (available|avail))\b/,
  ],
  [
    'latency',
    /\b(lat|latency|latencies|duration|durations|delay|elapsed|rtt|ttfb|lag seconds|(response|request|queue|wait|processing|execution|service|connect|turn ?around)(ing)? (time|seconds|ms|milliseconds)|time to \w+|sojourn|wait)\b|\bresponsetime\b/,
  ],
  [
    'availability',
    /\b(availability|available|up|uptime|healthy|health|success|successful|successes|success(ful)? (rate|ratio|percent)|ready|apdex|alive|reachable|in service|hit (rate|ratio))\b/,
  ],
  [
    'saturation',
    /\b(active (requests|connections|threads)|cpu throttl\w*|throttled (seconds|periods)|cfs throttl\w*)\b/,
  ],
  [
    'errors',
    /\b(err|errs|error|errors|errored|fail|fails|failed|failure|failures|fault|faults|exception|exceptions|panic|panics|crash\w*|5 ?xx|4 ?xx|timeout|timeouts|timed out|reject\w*|drop|drops|dropped|denied|throttl\w*|retry|retries|retransmit\w*|retrans|restart|restarts|oom\w*|abort\w*|refused|loss|lost|dead letter|deadlock\w*|rollback\w*|evict\w*|bad)\b/,
  ],
  [
    'saturation',
    /\b(cpu\w*|mem|memory\w*|rss|heap\w*|utili[sz]ation|utili[sz]ed|usage|used|saturation|queue\w*|backlog|pending|waiting|waiters|blocked|in ?flight|concurren\w*|disk\w*|io|iowait|pool|pools|connection|connections|conns?|threads?|goroutines|fds?|file descriptors|sockets?|gc|lag|load (average|avg)|load (1|5|15)|load(1|5|15)|runqueue|swap\w*|inodes?|buffers?|lock|locks|depth|pressure)\b/,
  ],
  [
    'traffic',
    /\b(requests?|req|reqs|rps|qps|tps|throughput|load|workload|traffic|calls?|invocations?|hits|visits|count|rate|rates|operations|ops|queries|transactions|messages|consumed|produced|received|sent|receive|transmit|rx|tx|bytes|network|packets|orders|spans|handled)\b/,
  ],
];

const quantileStatistic = /^(p|q|lat|latency|quantile)?[-_ ]?(50|75|90|95|99|999|0?\.\d+)$/i;

/**
 * What a metric measures, judged by its name (and, for bare quantiles, its statistic).
 *
 * `load` alone is traffic, as in the Sock Shop data sets; `load1`, `load_average` are saturation.
 */
export function metricMeaning(metric: string, statistic?: string): MetricMeaning {
  const words = toWords(metric);
  for (const [meaning, pattern] of habits) {
    if (pattern.test(words)) return meaning;
  }
  if (quantileStatistic.test(metric.trim())) return 'latency';
  if (statistic !== undefined && /^(p|q)?(50|90|95|99)(th)?$/i.test(statistic)) return 'latency';
  return 'other';
}

function toWords(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, ' ')
    .trim();
}
