import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { pollMs } from '../../api/polling.ts';

export const CHATS_PER_PAGE = 20;

/** The team's chats, newest first. */
export const chatsQuery = (wanted: { page: number; mine: boolean }) =>
  queryOptions({
    queryKey: ['chats', 'list', wanted],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/chat', {
          params: { query: { page: wanted.page, count: CHATS_PER_PAGE, my_chats: wanted.mine } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => pollMs(state.error, state.data?.chats.some(({ running }) => running) === true),
  });

/** Chats that match a search. */
export const chatSearchQuery = (wanted: { q: string; page: number }) =>
  queryOptions({
    queryKey: ['chats', 'search', wanted],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/chat/search', { params: { query: { ...wanted, count: CHATS_PER_PAGE } }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.chats.some(({ running }) => running) === true ? pollMs(state.error, true) : false,
  });
