/** Lists of sources, services and metrics, for forms and editors. */
import { randomUUID } from 'node:crypto';
import { apiKey, requireOneOf, type Principal } from '../../http/authenticate.ts';
import type { ApiDeps } from '../../http/deps.ts';
import { endpointFor } from '../../http/endpoint.ts';
import { DependencyDown, NotFound } from '../../http/errors.ts';
import { systemClock } from '../../platform/clock.ts';
import { askWithin } from './ask.ts';
import type { LoadSources, SourceCatalog, TelemetrySource } from './port.ts';
import type { ReadScopes } from '../transcripts/index.ts';
import { MAX_ALERTS, presentMetric, presentService, presentSource } from './presenter.ts';
import * as schemas from './schemas.ts';

export interface SourceDeps extends ApiDeps {
  /** Those of the installation, and those behind the team's satellites. */
  sources: LoadSources;
  readScopes: ReadScopes;
}

const endpoint = endpointFor<SourceDeps>();
const tags = ['Sources'];
const MAX_SOURCES = 100;
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
  if (!source) throw new NotFound('There is no such source.', 'no_such_source');
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

export const sourceEndpoints = [listSources, listSourceServices, searchSourceMetrics];
