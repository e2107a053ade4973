/** The first look: the alerting metric and the service's dependencies. */
import type { PlannedCall } from '../../decide.ts';
import { wasCalled, type CaseFile } from './case-file.ts';
import type { SourceChoice, Symptom } from './sources.ts';
import { signalsIn } from '../reading.ts';
import { lexicalScores } from './words.ts';

export const MAX_METRICS = 50;

/** Adds the words that alerts and metrics use for the same symptom. */
export function withSymptom(text: string): string {
  return [text, ...signalsIn(text).map(({ words }) => words)].join('\n');
}

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
    calls.push({ name: 'search_metrics', input: { source, service, limit: MAX_METRICS } });
  }
  return calls;
}

/**
 * The service's metric that fits the query best. A metric of the signal itself beats one that sounds alike: event loop
 * lag is not request latency.
 */
export function chooseMetric({ query, metrics }: CaseFile, { service }: Symptom): string | undefined {
  const own = metrics?.result.metrics.filter(({ services }) => services.includes(service)) ?? [];
  const said = signalsIn(query);
  const measuring = own.filter(({ metric }) =>
    said.some(({ named, worse }) => named.test(metric) && !worse?.test(metric)),
  );
  const candidates = measuring.length > 0 ? measuring : own;
  const scores = lexicalScores(
    withSymptom(query),
    candidates.map(({ metric, help, unit }) => `${metric} ${help ?? ''} ${unit ?? ''}`),
  );
  const best = Math.max(0, ...scores);
  return best > 0 ? candidates[scores.indexOf(best)]?.metric : undefined;
}
