/** Queries of the findings pages. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type Schema } from '../../api/client.ts';
import { pollMs } from '../../api/polling.ts';
import { startOf, type Since } from '../../components/time-filter.ts';

export type FindingSummary = Schema<'FindingListResponse'>['findings'][number];
export type Finding = Schema<'FindingResponse'>;
export type StartedInvestigation = Schema<'InvestigationDetailResponse'>;
export type FindingStatus = FindingSummary['status'];

export interface FindingFilter {
  status?: FindingStatus | undefined;
  severity?: FindingSummary['severity'] | undefined;
  /** Only of one agent. */
  agent?: string | undefined;
  service?: string | undefined;
  origin?: FindingSummary['origin'] | undefined;
  since?: Since | undefined;
  page?: number;
  count?: number;
}

export const findingsQuery = ({ agent, since, page = 1, count = 20, ...others }: FindingFilter) =>
  queryOptions({
    queryKey: ['findings', 'list', { ...others, agent, since, page, count }],
    queryFn: ({ signal }) => {
      const query = { ...others, chat_id: agent, from: startOf(since), page, count };
      return dataOf(api.GET('/api/findings', { params: { query }, signal }));
    },
    refetchInterval: ({ state }) => pollMs(state.error, true),
    placeholderData: keepPreviousData,
  });

/** How many are open. */
export const openFindingsQuery = findingsQuery({ status: 'open', count: 5 });

export const findingQuery = (findingId: string) =>
  queryOptions({
    queryKey: ['findings', findingId],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/findings/{finding_id}', { params: { path: { finding_id: findingId } }, signal })),
    refetchInterval: ({ state }) =>
      state.data?.status === 'closed' ? false : pollMs(state.error, state.data?.status === 'open'),
  });

/** The investigation that a finding started. */
export const investigationOfQuery = (investigationId: string) =>
  queryOptions({
    queryKey: ['findings', 'investigation', investigationId],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/investigations/{investigation_id}', {
          params: { path: { investigation_id: investigationId } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.status === 'processing' ? pollMs(state.error, true) : false),
  });
