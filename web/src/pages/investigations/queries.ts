import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schema } from '../../api/client.ts';
import { pollMs } from '../../api/polling.ts';
import { parametersOf, type ListFilter } from './list-filter.ts';

export type Summary = Schema<'InvestigationSummary'>;

export const PAGE_SIZE = 20;

/** A page of the team's investigations, refetched more often while one is running. */
export const investigationsQuery = (filter: ListFilter, page = 1) =>
  queryOptions({
    queryKey: ['investigations', { ...filter, page }],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/investigations', {
          params: { query: { page, count: PAGE_SIZE, ...parametersOf(filter) } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) =>
      pollMs(state.error, state.data?.items.some((item) => item.status === 'processing') === true),
  });

/**
 * Starts an investigation.
 * @param idempotencyKey the same for every attempt to send the same form, so that a lost response starts no second one
 */
export const startInvestigation = (query: string, idempotencyKey: string) =>
  dataOf(
    api.POST('/api/v1/investigate', { body: { query }, params: { header: { 'idempotency-key': idempotencyKey } } }),
  );
