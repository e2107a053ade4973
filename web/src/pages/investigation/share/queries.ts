/** The read-only links to a report. */
import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schema } from '../../../api/client.ts';

export type Share = Schema<'InvestigationShare'>;

const path = (id: string) => ({ investigation_id: id });

/** Those that still work. */
export const sharesQuery = (id: string) =>
  queryOptions({
    queryKey: ['investigation-shares', id],
    // Readers open them meanwhile.
    staleTime: 0,
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/investigations/{investigation_id}/shares', { params: { path: path(id) }, signal })),
  });

export const createShare = (id: string, body: Schema<'InvestigationShareRequest'>) =>
  dataOf(api.POST('/api/investigations/{investigation_id}/shares', { params: { path: path(id) }, body }));

export const revokeShare = (id: string, shareId: string) =>
  dataOf(
    api.DELETE('/api/investigations/{investigation_id}/shares/{share_id}', {
      params: { path: { ...path(id), share_id: shareId } },
    }),
  );
