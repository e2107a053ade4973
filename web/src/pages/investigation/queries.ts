/** Queries of the investigation page. */
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schema } from '../../api/client.ts';
import { pollMs } from '../../api/polling.ts';

export type Investigation = Schema<'InvestigationDetailResponse'>;
export type Step = Schema<'InvestigationStep'>;
export type ToolCall = Schema<'InvestigationToolCall'>;
export type Citation = Schema<'InvestigationCitation'>;
export type Report = Schema<'InvestigationReport'>;
export type Graph = Schema<'InvestigationGraphResponse'>;

const path = (id: string) => ({ params: { path: { investigation_id: id } } });

/** The full investigation. An ended one no longer changes. */
export const investigationQuery = (id: string) =>
  queryOptions({
    queryKey: ['investigations', id],
    queryFn: ({ signal }) => dataOf(api.GET('/api/investigations/{investigation_id}', { ...path(id), signal })),
    staleTime: ({ state }) => (state.data === undefined || state.data.status === 'processing' ? 0 : 60_000),
  });

/** The services around the suspect. */
export const graphQuery = (id: string) =>
  queryOptions({
    queryKey: ['investigations', id, 'graph'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/investigations/{investigation_id}/graph', { ...path(id), signal })),
    staleTime: 5 * 60_000,
  });

/** Earlier ones of the same service, alert or log template. */
export const similarQuery = (id: string) =>
  queryOptions({
    queryKey: ['investigations', id, 'similar'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/investigations/{investigation_id}/similar', { ...path(id), signal })),
    staleTime: 60_000,
  });

/** The finding that opened it; null if it was deleted, or has opened another since. */
export const findingOfQuery = (id: string) =>
  queryOptions({
    queryKey: ['findings', 'of-investigation', id],
    queryFn: async ({ signal }) => {
      const query = { investigation_id: id, count: 1 };
      const { findings } = await dataOf(api.GET('/api/findings', { params: { query }, signal }));
      return findings[0] ?? null;
    },
    refetchInterval: ({ state }) =>
      !state.data || state.data.status === 'closed' ? false : pollMs(state.error, state.data.status === 'open'),
  });

/** Lists show investigations too. */
export const refresh = (queryClient: QueryClient): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: ['investigations'] });

export const cancel = (id: string) => dataOf(api.POST('/api/investigations/{investigation_id}/cancel', path(id)));
export const rerun = (id: string) => dataOf(api.POST('/api/investigations/{investigation_id}/rerun', path(id)));
export const judge = (id: string, judgement: Investigation['judgement']) =>
  dataOf(api.POST('/api/investigations/{investigation_id}/judgement', { ...path(id), body: { judgement } }));
export const tell = (id: string, text: string) =>
  dataOf(api.POST('/api/investigations/{investigation_id}/messages', { ...path(id), body: { text } }));
