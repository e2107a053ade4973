/** The first look: the alerting metric, and what its service depends on. */
import { metricMeaning, type MetricMeaning } from '../metric-meaning.ts';
import type { PlannedCall } from '../../decide.ts';
import { wasCalled, type CaseFile } from './case-file.ts';
import type { SourceChoice, Symptom } from './sources.ts';
import { lexicalScores } from './words.ts';

const MOST_METRICS = 50;
/** What people say, and what metrics are called when they say it. */
const SYNONYMS: [said: RegExp, meant: string, meanings: MetricMeaning[]][] = [
  [/slow|latenc|delay|hang|timeout|time out|respon/i, 'latency duration response time p95 p99', ['latency']],
  [
    /error|fail|5\d\d|exception|broken|crash|down|unavailab/i,
    'errors error faults failed 5xx availability',
    ['errors', 'availability'],
  ],
  [/memory|oom/i, 'memory heap rss', ['saturation', 'headroom']],
  [/cpu|load/i, 'cpu load', ['saturation', 'traffic']],
  [/queue|backlog|lag/i, 'queue backlog lag', ['saturation', 'latency']],
];

/** Calls that remain to be made before the ranking; none when the first look is done. */
export function survey(file: CaseFile, choice: SourceChoice, symptom: Symptom): PlannedCall[] {
  const { service } = symptom;
  const calls: PlannedCall[] = [];
  if (choice.dependencies && !wasCalled(file, 'service_dependencies')) {
    const input = { source: choice.dependencies.id, service, direction: 'downstream' };
    calls.push({ name: 'service_dependencies', input });
  }
  if (!choice.metrics || wasCalled(file, 'query_metric')) return calls;
  const source = choice.metrics.id;
  const metric = symptom.metric ?? chooseMetric(file, symptom);
  if (metric) calls.push({ name: 'query_metric', input: { source, metric, service } });
  else if (!wasCalled(file, 'search_metrics')) {
    calls.push({ name: 'search_metrics', input: { source, service, limit: MOST_METRICS } });
  }
  return calls;
}

/**
 * The metric of the service that fits the query's words best, once they have been searched. Those that measure what the
 * words speak of come before those that only sound like it: the lag of an event loop is not the latency of requests.
 */
export function chooseMetric({ query, metrics }: CaseFile, { service }: Symptom): string | undefined {
  const own = metrics?.result.metrics.filter(({ services }) => services.includes(service)) ?? [];
  const said = SYNONYMS.filter(([pattern]) => pattern.test(query));
  const spokenOf = new Set(said.flatMap(([, , meanings]) => meanings));
  const measuring = own.filter(({ metric }) => spokenOf.has(metricMeaning(metric)));
  const candidates = measuring.length > 0 ? measuring : own;
  const asked = [query, ...said.map(([, meant]) => meant)].join(' ');
  const scores = lexicalScores(
    asked,
    candidates.map(({ metric, help, unit }) => `${metric} ${help ?? ''} ${unit ?? ''}`),
  );
  const best = Math.max(0, ...scores);
  return best > 0 ? candidates[scores.indexOf(best)]?.metric : undefined;
}
