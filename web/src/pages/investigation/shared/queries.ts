import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schema } from '../../../api/client.ts';

export type SharedReport = Schema<'SharedReportResponse'>;

/** The report behind a read-only link. Each request counts as an opening, so it is read once. */
export const sharedQuery = (token: string) =>
  queryOptions({
    queryKey: ['shared', token],
    queryFn: ({ signal }) => dataOf(api.GET('/api/shared', { params: { header: { 'x-share-token': token } }, signal })),
    staleTime: Infinity,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  });
