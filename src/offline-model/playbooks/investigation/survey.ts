/** The first look: the alerting metric, and what its service depends on. */
import type { PlannedCall } from '../../decide.ts';
import { wasCalled, type CaseFile } from './case-file.ts';
import type { SourceChoice, Symptom } from './sources.ts';
import { lexicalScores } from './words.ts';

const MOST_METRICS = 50;
/** What people say, and what metrics are called when they say it. */
const SYNONYMS: [RegExp, string][] = [
  [/slow|latenc|delay|hang|timeout|time out|respon/i, 'latency duration response time p95 p99'],
  [/error|fail|5\d\d|exception|broken|crash|down|unavailab/i, 'errors error faults failed 5xx availability'],
  [/memory|oom/i, 'memory heap rss'],
  [/cpu|load/i, 'cpu load'],
  [/queue|backlog|lag/i, 'queue backlog lag'],
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

/** The metric of the service that fits the query's words best, once they have been searched. */
export function chooseMetric({ query, metrics }: CaseFile, { service }: Symptom): string | undefined {
  const own = metrics?.result.metrics.filter(({ services }) => services.includes(service)) ?? [];
  const asked = [query, ...SYNONYMS.flatMap(([said, meant]) => (said.test(query) ? [meant] : []))].join(' ');
  const scores = lexicalScores(
    asked,
    own.map(({ metric, help, unit }) => `${metric} ${help ?? ''} ${unit ?? ''}`),
  );
  const best = Math.max(0, ...scores);
  return best > 0 ? own[scores.indexOf(best)]?.metric : undefined;
}
