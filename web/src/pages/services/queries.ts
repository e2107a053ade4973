/** What the team's sources know of its services. Each source answers by itself; one that does not leaves the rest. */
import { useQueries, useQuery, type Query, type UseQueryResult } from '@tanstack/react-query';
import { api, dataOf, type Schema } from '../../api/client.ts';
import { pollMs } from '../../api/polling.ts';
import { sourcesQuery } from '../../components/connect-source.tsx';

type Source = Schema<'SourceListResponse'>['sources'][number];
export type Call = Schema<'SourceDependenciesResponse'>['calls'][number];
export type Change = Schema<'SourceChangesResponse'>['changes'][number];

export interface Service {
  name: string;
  /** What its sources say about it, such as its language and team. */
  descriptions: string[];
}

/** What is known so far. */
export interface Known<T> {
  items: T[];
  isPending: boolean;
  /** The titles of sources that offer it. */
  offered: string[];
  /** Titles of the sources that did not answer. */
  failed: string[];
  /** Titles of the sources that have more than they returned. */
  truncated: string[];
}

interface Answer<T> {
  items: T[];
  truncated: boolean;
}

const FRESH_MS = 60_000;

function useSources<T>(
  capability: Source['capabilities'][number],
  ask: (id: string, signal: AbortSignal) => Promise<Answer<T>>,
  key: readonly unknown[],
): Known<T> {
  const { data } = useQuery(sourcesQuery);
  const offering = data?.sources.filter(({ capabilities }) => capabilities.includes(capability)) ?? [];
  const answers: UseQueryResult<Answer<T>>[] = useQueries({
    queries: offering.map(({ id }) => ({
      queryKey: ['sources', id, ...key],
      queryFn: ({ signal }: { signal: AbortSignal }) => ask(id, signal),
      staleTime: FRESH_MS,
      retry: false,
      refetchInterval: ({ state: { error } }: Query<Answer<T>>) => error !== null && pollMs(error, false),
    })),
  });
  return {
    items: answers.flatMap((answer) => answer.data?.items ?? []),
    isPending: data === undefined || answers.some((answer) => answer.isPending),
    offered: offering.map(({ title }) => title),
    failed: offering.filter((_, index) => answers[index]?.isError).map(({ title }) => title),
    truncated: offering.filter((_, index) => answers[index]?.data?.truncated).map(({ title }) => title),
  };
}

/** Every service that a source names, by name. */
export function useServices(): Known<Service> {
  const known = useSources(
    'services',
    async (id, signal) => {
      const params = { path: { source_id: id }, query: { limit: 1_000 } };
      const { services: items, truncated } = await dataOf(
        api.GET('/api/sources/{source_id}/services', { params, signal }),
      );
      return { items, truncated };
    },
    ['services'],
  );
  const named = Map.groupBy(known.items, ({ name }) => name);
  const items = [...named].map(([name, one]) => ({
    name,
    descriptions: [...new Set(one.flatMap(({ description }) => description ?? []))],
  }));
  return { ...known, items: items.toSorted((a, b) => a.name.localeCompare(b.name)) };
}

/** Who calls whom; the busiest figure where several sources saw a call. */
export function useCalls(): Known<Call> {
  const known = useSources(
    'dependencies',
    async (id, signal) => {
      const params = { path: { source_id: id } };
      const { calls: items, truncated } = await dataOf(
        api.GET('/api/sources/{source_id}/dependencies', { params, signal }),
      );
      return { items, truncated };
    },
    ['dependencies'],
  );
  const calls = new Map<string, Call>();
  for (const call of known.items) {
    const key = JSON.stringify([call.caller, call.callee]);
    const seen = calls.get(key);
    if (!seen || (call.calls_per_second ?? 0) > (seen.calls_per_second ?? 0)) calls.set(key, call);
  }
  return { ...known, items: [...calls.values()] };
}

/** Deployments and other changes of a service, newest first; without those of no service. */
export function useChanges(service: string): Known<Change> {
  const known = useSources(
    'changes',
    async (id, signal) => {
      const params = { path: { source_id: id }, query: { service } };
      const { changes: items, truncated } = await dataOf(
        api.GET('/api/sources/{source_id}/changes', { params, signal }),
      );
      return { items, truncated };
    },
    ['changes', service],
  );
  const own = known.items.filter((change) => change.service === service);
  return { ...known, items: own.toSorted((a, b) => b.at.localeCompare(a.at)) };
}
