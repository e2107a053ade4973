import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { pollMs } from '../../api/polling.ts';
import { startOf, type Since } from '../../components/time-filter.ts';

export const CHATS_PER_PAGE = 20;

/** The team's chats, newest first. */
export const chatsQuery = ({ page, mine, since }: { page: number; mine: boolean; since?: Since | undefined }) =>
  queryOptions({
    queryKey: ['chats', 'list', { page, mine, since }],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/chat', {
          params: { query: { page, count: CHATS_PER_PAGE, my_chats: mine, from: startOf(since) } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => pollMs(state.error, state.data?.chats.some(({ running }) => running) === true),
  });

/** Chats that match a search. */
export const chatSearchQuery = ({ q, page, since }: { q: string; page: number; since?: Since | undefined }) =>
  queryOptions({
    queryKey: ['chats', 'search', { q, page, since }],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/chat/search', {
          params: { query: { q, page, count: CHATS_PER_PAGE, from: startOf(since) } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.chats.some(({ running }) => running) === true ? pollMs(state.error, true) : false,
  });
