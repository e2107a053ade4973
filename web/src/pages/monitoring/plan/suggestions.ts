/** Suggestions for fields of a plan; anything else is accepted too. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import type { PlanDraft } from './draft.ts';
import type { Suggestion } from './field-types.ts';
import { valueAt, type JsonObject } from './json.ts';

/** A list of suggestions, and the id by which fields refer to it. */
export interface OfferedList {
  id: string;
  values: readonly string[];
}

export interface Offered {
  lists: readonly OfferedList[];
  /** The list ids for a check: services and metrics come from its source. */
  idsFor: (check: JsonObject) => Partial<Record<Suggestion, string>>;
}

const MOST = 200;
/** What a source knows rarely changes. */
const STALE_MS = 5 * 60_000;
const ZONES: OfferedList = { id: 'offered-time-zones', values: ['UTC', ...Intl.supportedValuesOf('timeZone')] };

/** Distinct names at some paths of the checks: the next check is often about the same. */
export function namesIn({ checks }: PlanDraft, paths: readonly string[]): string[] {
  const values = checks.flatMap(({ value }) => paths.map((path) => valueAt(value, path)));
  return [...new Set(values.filter((value): value is string => typeof value === 'string' && value !== ''))];
}

/** @param draft its sources are asked for services and metrics as soon as they name an existing source */
export function useOffered(draft: PlanDraft): Offered {
  const sources = useQuery({
    queryKey: ['sources'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/sources', { signal })),
    staleTime: STALE_MS,
    retry: false,
  });
  const known = sources.data?.sources ?? [];
  const asked = namesIn(draft, ['check.source']).filter((name) => known.some(({ id }) => id === name));
  const services = useQueries({
    queries: asked.map((source) => ({
      queryKey: ['sources', source, 'services'],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        dataOf(
          api.GET('/api/sources/{source_id}/services', {
            params: { path: { source_id: source }, query: { limit: MOST } },
            signal,
          }),
        ),
      staleTime: STALE_MS,
      retry: false,
    })),
  });
  const metrics = useQueries({
    queries: asked.map((source) => ({
      queryKey: ['sources', source, 'metrics'],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        dataOf(
          api.GET('/api/sources/{source_id}/metrics', {
            params: { path: { source_id: source }, query: { limit: MOST } },
            signal,
          }),
        ),
      staleTime: STALE_MS,
      retry: false,
    })),
  });
  const fixed = [
    ZONES,
    { id: 'offered-sources', values: known.map(({ id }) => id) },
    { id: 'offered-tools', values: namesIn(draft, ['check.tool']) },
  ];
  const ofSources = asked.flatMap((_, index) => [
    { id: `offered-services-${index}`, values: services[index]?.data?.services.map(({ name }) => name) ?? [] },
    { id: `offered-metrics-${index}`, values: metrics[index]?.data?.metrics.map(({ metric }) => metric) ?? [] },
  ]);
  return {
    lists: [...fixed, ...ofSources],
    idsFor: (check) => {
      const index = asked.findIndex((source) => source === valueAt(check, 'check.source'));
      return {
        source: 'offered-sources',
        tool: 'offered-tools',
        time_zone: ZONES.id,
        ...(index >= 0 && { service: `offered-services-${index}`, metric: `offered-metrics-${index}` }),
      };
    },
  };
}
