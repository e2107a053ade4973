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
import { callsOf, given } from './calls.ts';

export interface Telemetry {
  file: CaseFile;
  choice?: SourceChoice;
  /** Sources to list the services of, best first. */
  asked: ListedSource[];
  services: string[];
}

const MAX_SOURCES = 4;

/** @param query a person's words, which may name a source */
export function telemetryOf(file: CaseFile, query: string): Telemetry {
  const choice = chooseSources({ ...file, query });
  const asked = choice ? askedSources(file, choice) : [];
  const services = [...new Set(asked.flatMap(({ id }) => servicesOf(file, id) ?? []))];
  return { file, ...(choice && { choice }), asked, services };
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
  const listed = openCase(callsFor(file, 'list_services', source)).services;
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
  const found = openCase(calls).metrics?.result.metrics;
  return found?.filter(
    (one) => service === undefined || one.services.includes(service) || one.serviceCount > one.services.length,
  );
}

function callsFor(file: CaseFile, tool: string, source: string): Call[] {
  return callsOf(file, tool).filter((call) => given(call, 'source') === source);
}
