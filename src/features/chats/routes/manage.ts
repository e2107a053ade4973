/** Lists, reads, renames and deletes chats. */
import { z } from 'zod';
import { apiKey } from '../../../http/authenticate.ts';
import { chatTurnWorkflowId } from '../contract.ts';
import { deleteChat, renameChat } from '../control.ts';
import { loadChat, listChats, withRunning, searchChats } from '../queries.ts';
import { presentChat, presentSummary } from '../presenter.ts';
import {
  ChatDetailResponse,
  ChatListResponse,
  ChatSearchResponse,
  ChatSummaryResponse,
  CHATS_PER_PAGE,
  ChatDetailQuery,
  ChatListQuery,
  ChatParams,
  ChatSearchQuery,
  ChatTitleUpdateRequest,
} from '../schemas.ts';
import { chatEndpoint as endpoint, READ, tags, WRITE } from './deps.ts';

const METHODS = ['GET', 'OPTIONS'] as const;

export const chatOptions = endpoint({
  method: 'options',
  path: '/api/chat',
  operationId: 'chatOptions',
  summary: 'Get the options of the chat list',
  tags,
  auth: 'none',
  response: z.object({ methods: z.array(z.enum(METHODS)) }).meta({ id: 'ChatOptionsResponse' }),
  handler: async ({ ctx }) => {
    ctx.set('Allow', METHODS.join(', '));
    return { methods: [...METHODS] };
  },
});

export const list = endpoint({
  method: 'get',
  path: '/api/chat',
  operationId: 'listChats',
  summary: 'List chats, newest first',
  tags,
  auth: apiKey(READ),
  query: ChatListQuery,
  response: ChatListResponse,
  handler: async ({ query, principal, em }) => {
    const { page, my_chats: mine, from } = query;
    const count = query.count ?? query.limit ?? CHATS_PER_PAGE;
    const of = mine ? principal : undefined;
    const found = await listChats(em, principal.teamId, { page, count, of, from });
    return {
      chats: found.chats.map(presentSummary),
      page,
      count,
      total: found.total,
      total_is_exact: found.totalIsExact,
      has_more: found.hasMore,
    };
  },
});

export const search = endpoint({
  method: 'get',
  path: '/api/chat/search',
  operationId: 'searchChats',
  summary: 'Search the messages of chats',
  tags,
  auth: apiKey(READ),
  query: ChatSearchQuery,
  response: ChatSearchResponse,
  handler: async ({ query: { q: words, page, count, from }, principal, em }) => {
    const { chats, hasMore } = await searchChats(em, principal.teamId, { words, page, count, from });
    return {
      chats: chats.map((hit) => ({ ...presentSummary(hit), snippet: hit.snippet })),
      page,
      count,
      has_more: hasMore,
    };
  },
});

export const detail = endpoint({
  method: 'get',
  path: '/api/chat/{chat_id}',
  operationId: 'getChat',
  summary: 'Get a chat: messages, tool calls, citations, usage and the running turn',
  description:
    'Messages have the format of the AI SDK’s UI messages. The first page holds the newest turns; `before` pages back.',
  tags,
  auth: apiKey(READ),
  params: ChatParams,
  query: ChatDetailQuery,
  response: ChatDetailResponse,
  errors: [404],
  handler: async ({ params, query, deps, em }) => {
    const rows = await loadChat(em, params.chat_id, { before: query.before, most: query.turns });
    const progress = rows.running && (await deps.chatProgress.read(chatTurnWorkflowId(rows.running.id)));
    return presentChat({ ...rows, progress });
  },
});

export const rename = endpoint({
  method: 'patch',
  path: '/api/chat/{chat_id}/title',
  operationId: 'updateChatTitle',
  summary: 'Rename a chat',
  description: "A monitoring agent shares its chat's title, so renaming that chat also requires `monitoring:write`.",
  tags,
  auth: apiKey(WRITE),
  params: ChatParams,
  body: ChatTitleUpdateRequest,
  response: ChatSummaryResponse,
  errors: [404],
  handler: async ({ params, body, deps, em, principal }) => {
    const named = { chatId: params.chat_id, title: body.title };
    const chat = await renameChat(deps.chats, em, principal, named);
    const [entry] = await withRunning(em, [chat]);
    return presentSummary(entry ?? { chat, running: false });
  },
});

export const remove = endpoint({
  method: 'delete',
  path: '/api/chat/{chat_id}',
  operationId: 'deleteChat',
  summary: 'Delete a chat with all its messages',
  description:
    "A running turn is stopped. Investigations that the chat started are kept. A monitoring agent's chat is deleted with the agent; here it is a 409 `monitoring_agent`.",
  tags,
  auth: apiKey(WRITE),
  params: ChatParams,
  response: z.object({ deleted: z.literal(true) }).meta({ id: 'ChatDeletedResponse' }),
  errors: [404, 409],
  handler: async ({ params, deps, em }) => {
    await deleteChat(deps.chats, em, params.chat_id);
    return { deleted: true as const };
  },
});
