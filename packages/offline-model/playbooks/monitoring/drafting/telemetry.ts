/** What the tools have said of sources, services and metrics, and which of it a new plan is about. */
import type {
  ListServicesResult,
  QueryMetricResult,
  SearchMetricsResult,
} from '../../../../../src/features/tools/results.ts';
import type { Call } from '../../../transcript.ts';
import { given } from '../../conversation/calls.ts';
import { caseOf } from '../../conversation/earlier.ts';
import type { CaseFile } from '../../investigation/case-file.ts';
import { mentions } from '../../investigation/words.ts';
import {
  chooseSources,
  isLive,
  networkOf,
  usableSources,
  type ListedSource,
  type SourceChoice,
} from '../../investigation/sources.ts';

export interface Telemetry {
  file: CaseFile;
  choice?: SourceChoice;
  /** The sources whose services are asked for, the first choice first. */
  asked: ListedSource[];
  services: ListServicesResult['services'];
}

const MOST_SOURCES = 4;

/** @param query the person's words, which may name a source */
export function telemetryOf(all: CaseFile, query: string): Telemetry {
  const file = liveFirst(all, query);
  const choice = chooseSources({ ...file, query });
  const asked = choice ? askedSources(file, choice) : [];
  const seen = new Map<string, ListServicesResult['services'][number]>();
  for (const source of asked) {
    for (const service of servicesOf(file, source.id) ?? [])
      if (!seen.has(service.name)) seen.set(service.name, service);
  }
  return { file, ...(choice && { choice }), asked, services: [...seen.values()] };
}

/** What is watched is what happens now: a recording is meant only where it is named in full, or where there is nothing else. */
function liveFirst(file: CaseFile, query: string): CaseFile {
  const { sources } = file;
  const usable = usableSources(sources);
  const isNamed = usable.some((source) => !isLive(source) && source.id.includes(':') && mentions(query, source.id));
  if (!sources || isNamed || !usable.some(isLive)) return file;
  return {
    ...file,
    sources: { ...sources, result: { ...sources.result, sources: sources.result.sources.filter(isLive) } },
  };
}

/** Beside the chosen one all live ones: what is named may be known to another. */
function askedSources({ sources }: CaseFile, choice: SourceChoice): ListedSource[] {
  const wanted = [choice.metrics, choice.services, choice.logs].filter((source) => source !== undefined);
  const others = isLive(choice.primary) ? usableSources(sources).filter(isLive) : [];
  return [...new Set([...wanted, ...others])]
    .filter(({ capabilities }) => capabilities.includes('services'))
    .slice(0, MOST_SOURCES);
}

/** The services a source was asked for; undefined: it was not, or did not say. */
export function servicesOf(file: CaseFile, source: string): ListServicesResult['services'] | undefined {
  return caseOf(callsFor(file, 'list_services', source)).services?.result.services;
}

/** The source that has a capability and knows the service. */
export function sourceWith(
  { file, choice, asked }: Telemetry,
  capability: 'metrics' | 'logs' | 'dependencies' | 'promql',
  service?: string,
): ListedSource | undefined {
  if (!choice) return undefined;
  const knowing =
    service === undefined
      ? undefined
      : asked.find(({ id }) => servicesOf(file, id)?.some(({ name }) => name === service));
  const near = (source: ListedSource): number => Number(networkOf(source) === networkOf(knowing ?? choice.primary));
  const all = isLive(knowing ?? choice.primary)
    ? usableSources(file.sources).filter(isLive)
    : [knowing ?? choice.primary];
  return all
    .filter(({ capabilities }) => capabilities.includes(capability))
    .toSorted((a, b) => Number(b === knowing) - Number(a === knowing) || near(b) - near(a))[0];
}

export function metricsOf(
  file: CaseFile,
  source: string,
  service: string | undefined,
): { result: SearchMetricsResult; call: Call } | undefined {
  const calls = callsFor(file, 'search_metrics', source).filter((call) => given(call, 'service') === service);
  return caseOf(calls).metrics;
}

/** How a metric stands, where it was asked for; null: it gave no answer. */
export function readingOf(
  file: CaseFile,
  wanted: { source: string; metric: string; service?: string },
): { result: QueryMetricResult; call: Call } | null | undefined {
  const calls = callsFor(file, 'query_metric', wanted.source).filter(
    (call) => given(call, 'metric') === wanted.metric && given(call, 'service') === wanted.service,
  );
  return calls.length === 0 ? undefined : (caseOf(calls).readings.at(-1) ?? null);
}

function callsFor({ transcript }: CaseFile, tool: string, source: string): Call[] {
  return transcript.calls.filter((call) => call.tool === tool && given(call, 'source') === source);
}
