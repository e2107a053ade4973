import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schema } from '../../api/client.ts';
import { pollMs } from '../../api/polling.ts';

export type Summary = Schema<'InvestigationSummary'>;
export type Status = Summary['status'];

export const STATUSES: readonly { value: Status; title: string }[] = [
  { value: 'processing', title: 'Running' },
  { value: 'completed', title: 'Completed' },
  { value: 'failed', title: 'Failed' },
  { value: 'cancelled', title: 'Cancelled' },
];

/** The status filter of an address, which may contain anything. */
export const statusIn = (text: string | undefined): Status | undefined =>
  STATUSES.find(({ value }) => value === text)?.value;

export const PAGE_SIZE = 20;

export interface ListFilter {
  page: number;
  status?: Status;
  search?: string;
}

/** A page of the team's investigations, refetched more often while one is running. */
export const investigationsQuery = ({ page, status, search }: ListFilter) =>
  queryOptions({
    queryKey: ['investigations', { page, status, search }],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/investigations', { params: { query: { page, count: PAGE_SIZE, status, search } }, signal })),
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
