/** Lists of sources, services and metrics, for forms and editors. */
import { randomUUID } from 'node:crypto';
import { apiKey, requireOneOf, type Principal } from '../../http/authenticate.ts';
import type { ApiDeps } from '../../http/deps.ts';
import { endpointFor } from '../../http/endpoint.ts';
import { DependencyDown, InvalidRequest, NotFound } from '../../http/errors.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { askWithin } from './ask.ts';
import type { LoadSources, SourceCatalog, TelemetrySource, TimeWindow } from './port.ts';
import type { ReadScopes } from '../transcripts/index.ts';
import {
  MAX_ALERTS,
  presentCall,
  presentChange,
  presentMetric,
  presentService,
  presentSource,
  presentWindow,
} from './presenter.ts';
import * as schemas from './schemas.ts';

export interface SourceDeps extends ApiDeps {
  /** Those of the installation, and those behind the team's satellites. */
  sources: LoadSources;
  readScopes: ReadScopes;
}

const endpoint = endpointFor<SourceDeps>();
const tags = ['Sources'];
const MAX_SOURCES = 100;
/** Maximum calls or changes in an answer. */
const MAX_LISTED = 2_000;
const HOUR_SECONDS = 3_600;
const scopes = 'Scope: one of `investigations:read`, `chats:read`, `monitoring:read`.';

function sourcesOf(
  { sources, readScopes }: SourceDeps,
  principal: Principal,
  signal: AbortSignal,
): Promise<SourceCatalog> {
  requireOneOf(principal, ...Object.values(readScopes));
  const call = { teamId: principal.teamId, toolCallId: randomUUID(), clock: systemClock };
  return sources({ ...call, isGivenUp: () => signal.aborted });
}

async function sourceOf(...[deps, principal, signal, id]: [...Parameters<typeof sourcesOf>, id: string]) {
  const source = (await sourcesOf(deps, principal, signal)).list().find((one) => one.id === id);
  if (!source) throw new NotFound('Source not found.', 'no_such_source');
  return source;
}

export const listSources = endpoint({
  method: 'get',
  path: '/api/sources',
  operationId: 'listSources',
  summary: 'List telemetry sources with their alerts',
  description: `Each source has five seconds to describe itself; one that does not is listed with an \`error\`. ${scopes}`,
  tags,
  auth: apiKey(),
  response: schemas.SourceListResponse,
  errors: [403],
  handler: async ({ deps, principal, signal, log }) => {
    const all = (await sourcesOf(deps, principal, signal)).list();
    let isCut = all.length > MAX_SOURCES;
    const described = await Promise.all(
      all.slice(0, MAX_SOURCES).map(async (source) => {
        const said = await askWithin((options) => source.describe(options), { signal, log });
        if ('error' in said) return presentSource(source, said);
        isCut ||= said.answer.alerts.length > MAX_ALERTS;
        return presentSource(source, said.answer);
      }),
    );
    return { sources: described, truncated: isCut };
  },
});

export const listSourceServices = endpoint({
  method: 'get',
  path: '/api/sources/{source_id}/services',
  operationId: 'listSourceServices',
  summary: 'List the services of a source',
  description: `A source that does not offer services is a 404 with the code \`not_offered\`. ${scopes}`,
  tags,
  auth: apiKey(),
  params: schemas.SourceParams,
  query: schemas.SourceServicesQuery,
  response: schemas.SourceServicesResponse,
  errors: [403, 404, 503],
  handler: async ({ params, query: { text, limit }, deps, principal, signal, log }) => {
    const source = await sourceOf(deps, principal, signal, params.source_id);
    if (!source.services) throw notOffered(source, 'services');
    const all = answered(await askWithin(source.services.bind(source), { signal, log }));
    const wanted = text?.trim().toLowerCase() ?? '';
    const found = all.filter(({ name, description = '' }) => `${name}\n${description}`.toLowerCase().includes(wanted));
    return {
      source: source.id,
      services: found.slice(0, limit).map(presentService),
      total: found.length,
      truncated: found.length > limit,
    };
  },
});

export const listSourceDependencies = endpoint({
  method: 'get',
  path: '/api/sources/{source_id}/dependencies',
  operationId: 'listSourceDependencies',
  summary: 'List the calls between services that a source saw',
  description: `By default of the last hour. A source that does not offer dependencies is a 404 with the code \`not_offered\`. ${scopes}`,
  tags,
  auth: apiKey(),
  params: schemas.SourceParams,
  query: schemas.SourceDependenciesQuery,
  response: schemas.SourceDependenciesResponse,
  errors: [403, 404, 422, 503],
  handler: async ({ params, query, deps, principal, signal, log }) => {
    const source = await sourceOf(deps, principal, signal, params.source_id);
    const dependencies = source.dependencies?.bind(source);
    if (!dependencies) throw notOffered(source, 'dependencies');
    const window = await windowOf(source, query, HOUR_SECONDS, { signal, log });
    const edges = answered(await askWithin((options) => dependencies(window, options), { signal, log }));
    return {
      source: source.id,
      ...presentWindow(window),
      calls: edges.slice(0, MAX_LISTED).map(presentCall),
      truncated: edges.length > MAX_LISTED,
    };
  },
});

export const listSourceChanges = endpoint({
  method: 'get',
  path: '/api/sources/{source_id}/changes',
  operationId: 'listSourceChanges',
  summary: 'List deployments and other changes, newest first',
  description: `By default of the last 30 days. A source that does not offer changes is a 404 with the code \`not_offered\`. ${scopes}`,
  tags,
  auth: apiKey(),
  params: schemas.SourceParams,
  query: schemas.SourceChangesQuery,
  response: schemas.SourceChangesResponse,
  errors: [403, 404, 422, 503],
  handler: async ({ params, query: { service, ...query }, deps, principal, signal, log }) => {
    const source = await sourceOf(deps, principal, signal, params.source_id);
    const changes = source.changes?.bind(source);
    if (!changes) throw notOffered(source, 'changes');
    const window = await windowOf(source, query, 30 * 24 * HOUR_SECONDS, { signal, log });
    const wanted = { ...window, ...(service !== undefined && { service }) };
    const found = answered(await askWithin((options) => changes(wanted, options), { signal, log }));
    const newest = found.toSorted((a, b) => b.at - a.at);
    return {
      source: source.id,
      ...presentWindow(window),
      changes: newest.slice(0, MAX_LISTED).map(presentChange),
      truncated: newest.length > MAX_LISTED,
    };
  },
});

/** The asked period; what is not asked comes from the source's own one or, without one, ends now. */
async function windowOf(
  source: TelemetrySource,
  { from, to }: { from?: string | undefined; to?: string | undefined },
  usualSeconds: number,
  asking: { signal: AbortSignal; log: Logger },
): Promise<TimeWindow> {
  const seconds = (time: string | undefined): number | undefined => (time ? Date.parse(time) / 1_000 : undefined);
  const bounded = from && to ? undefined : answered(await askWithin(source.describe.bind(source), asking)).window;
  const end = seconds(to) ?? bounded?.to ?? systemClock.now().getTime() / 1_000;
  const start = seconds(from) ?? bounded?.from ?? end - usualSeconds;
  if (start >= end) throw InvalidRequest.at(['query', 'from'], 'Value must be before `to`', from);
  return { from: start, to: end };
}

export const searchSourceMetrics = endpoint({
  method: 'get',
  path: '/api/sources/{source_id}/metrics',
  operationId: 'searchSourceMetrics',
  summary: 'Search the metrics of a source',
  description: `A source that does not offer metrics is a 404 with the code \`not_offered\`. ${scopes}`,
  tags,
  auth: apiKey(),
  params: schemas.SourceParams,
  query: schemas.SourceMetricsQuery,
  response: schemas.SourceMetricsResponse,
  errors: [403, 404, 503],
  handler: async ({ params, query: { text, service, limit }, deps, principal, signal, log }) => {
    const source = await sourceOf(deps, principal, signal, params.source_id);
    const search = source.searchMetrics?.bind(source);
    if (!search) throw notOffered(source, 'metrics');
    // One more than requested shows whether there are more.
    const wanted = { text: text?.trim() || undefined, service, limit: limit + 1 };
    const found = answered(await askWithin((options) => search(wanted, options), { signal, log }));
    return { source: source.id, metrics: found.slice(0, limit).map(presentMetric), truncated: found.length > limit };
  },
});

function notOffered({ capabilities }: TelemetrySource, what: string): NotFound {
  return new NotFound(`This source does not offer ${what}; it offers ${capabilities.join(', ')}.`, 'not_offered');
}

function answered<T>(said: { answer: T } | { error: string }): T {
  if ('answer' in said) return said.answer;
  throw new DependencyDown(said.error, 'source_unavailable');
}

export const sourceEndpoints = [
  listSources,
  listSourceServices,
  listSourceDependencies,
  listSourceChanges,
  searchSourceMetrics,
];
