import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { pollMs } from '../../api/polling.ts';

/** Turns loaded at once; earlier ones on demand. */
const TURNS_PER_PAGE = 30;

const read = (chatId: string, query: { before?: number; turns: number }, signal: AbortSignal) =>
  dataOf(api.GET('/api/chat/{chat_id}', { params: { path: { chat_id: chatId }, query }, signal }));

/** Everything in a chat, newest turns first. */
export const chatQuery = (chatId: string) =>
  infiniteQueryOptions({
    queryKey: ['chat', chatId, 'messages'],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      read(chatId, { ...(pageParam > 0 && { before: pageParam }), turns: TURNS_PER_PAGE }, signal),
    getNextPageParam: ({ has_earlier: hasEarlier, messages }) =>
      hasEarlier ? (messages.find(({ turn }) => turn !== null)?.turn?.number ?? undefined) : undefined,
    refetchOnWindowFocus: false,
  });

/** The newest turn, polled since it may be started in another tab or by someone else, and the chat's current title. */
export const pulseQuery = (chatId: string) =>
  queryOptions({
    queryKey: ['chat', chatId, 'pulse'],
    staleTime: 0,
    queryFn: ({ signal }) => read(chatId, { turns: 1 }, signal),
    refetchInterval: ({ state }) => pollMs(state.error, true),
  });

/** A call that waits for approval, as it is now. */
export const approvalQuery = (id: string) =>
  queryOptions({
    queryKey: ['approval', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/approvals/{approval_id}', { params: { path: { approval_id: id } }, signal })),
  });

/** The calls that wait for somebody's approval, newest first. */
export const waitingApprovalsQuery = queryOptions({
  queryKey: ['approval', 'waiting'],
  queryFn: ({ signal }) => dataOf(api.GET('/api/approvals', { params: { query: { status: 'pending' } }, signal })),
  refetchInterval: ({ state }) => pollMs(state.error, (state.data?.approvals.length ?? 0) > 0),
});

/** Approves or declines the call that was shown. */
export const decide = ({ id, ...body }: { id: string; digest: string; decision: 'approve' | 'decline' }) =>
  dataOf(api.POST('/api/approvals/{approval_id}', { params: { path: { approval_id: id } }, body }));
