/** What tools reported about sources, services and metrics. */
import type { SearchMetricsResult } from '../../../src/features/tools/results.ts';
import type { Call } from '../transcript.ts';
import { openCase, type CaseFile } from './investigation/case-file.ts';
import {
  chooseSources,
  isLive,
  networkOf,
  usableSources,
  type ListedSource,
  type SourceChoice,
} from './investigation/sources.ts';
import { mentions } from './investigation/words.ts';
import { given } from './calls.ts';

export interface Telemetry {
  file: CaseFile;
  choice?: SourceChoice;
  /** Sources to list the services of, best first. */
  asked: ListedSource[];
  services: string[];
}

export const MAX_METRICS = 60;
const MAX_SOURCES = 4;

/** @param query a person's words, which may name a source */
export function telemetryOf(all: CaseFile, query: string): Telemetry {
  const file = liveFirst(all, query);
  const choice = chooseSources({ ...file, query });
  const asked = choice ? askedSources(file, choice) : [];
  const services = [...new Set(asked.flatMap(({ id }) => servicesOf(file, id) ?? []))];
  return { file, ...(choice && { choice }), asked, services };
}

/** Monitoring is about now: it reads a recording only if the query names one, or nothing else exists. */
function liveFirst(file: CaseFile, query: string): CaseFile {
  const { sources } = file;
  const usable = usableSources(sources);
  if (
    !sources ||
    !usable.some(isLive) ||
    usable.some((one) => !isLive(one) && one.id.includes(':') && mentions(query, one.id))
  )
    return file;
  return { ...file, sources: { ...sources, result: { ...sources.result, sources: usable.filter(isLive) } } };
}

function askedSources({ sources }: CaseFile, choice: SourceChoice): ListedSource[] {
  const wanted = [choice.metrics, choice.services, choice.logs].filter((source) => source !== undefined);
  const others = isLive(choice.primary) ? usableSources(sources).filter(isLive) : [];
  return [...new Set([...wanted, ...others])]
    .filter(({ capabilities }) => capabilities.includes('services'))
    .slice(0, MAX_SOURCES);
}

/** @returns undefined if the source was not asked, or did not answer */
export function servicesOf(file: CaseFile, source: string): string[] | undefined {
  const listed = caseOf(callsFor(file, 'list_services', source)).services;
  return listed?.result.services.map(({ name }) => name);
}

/** The source with a capability, preferably one that knows the service. */
export function sourceWith(
  { file, choice, asked }: Telemetry,
  capability: ListedSource['capabilities'][number],
  service?: string,
): ListedSource | undefined {
  if (!choice) return undefined;
  const knowing = asked.find(({ id }) => service !== undefined && servicesOf(file, id)?.includes(service));
  const start = knowing ?? choice.primary;
  const near = (source: ListedSource): number =>
    Number(source === start) * 2 + Number(networkOf(source) === networkOf(start));
  return (isLive(start) ? usableSources(file.sources).filter(isLive) : [start])
    .filter(({ capabilities }) => capabilities.includes(capability))
    .toSorted((a, b) => near(b) - near(a))[0];
}

export function metricsOf(
  file: CaseFile,
  source: string,
  service?: string,
): SearchMetricsResult['metrics'] | undefined {
  const calls = callsFor(file, 'search_metrics', source).filter((call) => given(call, 'service') === service);
  const found = caseOf(calls).metrics?.result.metrics;
  return found?.filter(
    (one) => service === undefined || one.services.includes(service) || one.serviceCount > one.services.length,
  );
}

export function caseOf(calls: Call[]): CaseFile {
  return openCase({ turn: 0, remarks: [], calls });
}

function callsFor({ transcript }: CaseFile, tool: string, source: string): Call[] {
  return transcript.calls.filter((call) => call.tool === tool && given(call, 'source') === source);
}
