/** The steps before a conclusion, decided from the case file alone. */
import type { PlannedCall, Turn } from '../../decide.ts';
import { wasCalled, type CaseFile } from './case-file.ts';
import { examineCode } from './code-evidence.ts';
import { readDatabases } from './database-evidence.ts';
import { examine } from './examine.ts';
import { mismatchOf } from './not-here.ts';
import { chooseSources, needsServices, symptomOf, type SourceChoice, type Symptom } from './sources.ts';
import { chooseMetric, survey } from './survey.ts';
import { call } from '../calls.ts';
import { signalsIn } from '../reading.ts';
import { name } from '../wording.ts';

type NextStep =
  /** `stage` marks the first step of one: 0 sources, 1 first look, 2 ranking, 3 examination. */
  | ({ done: false; stage?: 0 | 1 | 2 | 3 } & Turn)
  /** `partial` says why the investigation could not start. */
  | { done: true; partial?: string };

export function nextStep(file: CaseFile, can: (tool: string) => boolean): NextStep {
  if (can('list_sources') && !wasCalled(file, 'list_sources')) {
    return step(0, 'Listing the telemetry sources.', [call('list_sources', {})]);
  }
  const ofDatabases = readDatabases(file, can);
  if (ofDatabases) return { done: false, ...ofDatabases };
  const choice = chooseSources(file);
  if (!choice) return { done: true };
  if (choice.services && can('list_services') && needsServices(file, choice) && !wasCalled(file, 'list_services')) {
    const text = `Listing the services of ${name(choice.primary.id)}.`;
    return { done: false, text, calls: [call('list_services', { source: choice.services.id })] };
  }
  if (mismatchOf(file, choice)) return { done: true };
  const symptom = symptomOf(file, choice);
  if (!symptom) return { done: true, partial: 'No service to start from is known.' };
  if (can('rank_root_causes') && !wasCalled(file, 'rank_root_causes')) {
    const first = survey(file, choice, symptom).filter((planned) => can(planned.name));
    const text = `Checking the metric and dependencies of ${name(symptom.service)} in ${name(choice.primary.id)}.`;
    if (first.length > 0) return step(1, text, first);
  }
  const ranking = can('rank_root_causes') ? nextRanking(file, choice, symptom) : undefined;
  if (ranking) return step(2, 'Ranking possible causes across all services.', [ranking]);
  const { text, calls } = examine(file, choice, symptom);
  const possible = calls.filter((planned) => can(planned.name));
  if (possible.length > 0) return step(3, text, possible);
  const ofCode = examineCode(file, can);
  return ofCode ? { done: false, ...ofCode } : { done: true };
}

/** The ranking, retried once without the metric. */
function nextRanking(file: CaseFile, { metrics }: SourceChoice, symptom: Symptom): PlannedCall | undefined {
  if (!metrics || file.ranking) return undefined;
  const { service, at } = symptom;
  // Of requests that are slow or fail, one metric would tell half.
  const said = new Set(signalsIn(file.query).map(({ id }) => id));
  const isEither = said.has('latency') && said.has('errors');
  const metric = symptom.metric ?? (isEither ? undefined : chooseMetric(file, symptom));
  const tried = file.failures.filter(({ tool }) => tool === 'rank_root_causes');
  if (tried.length === 0) return call('rank_root_causes', { source: metrics.id, service, metric, at });
  return tried.length === 1 && metric ? call('rank_root_causes', { source: metrics.id, service, at }) : undefined;
}

function step(stage: 0 | 1 | 2 | 3, text: string, calls: PlannedCall[]): NextStep {
  return { done: false, stage, text, calls };
}
