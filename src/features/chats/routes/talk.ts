/** Starts or follows a turn. */
import { z } from 'zod';
import { apiKey, apiKeyVia, requireOneOf } from '../../../http/authenticate.ts';
import { shownStatus } from '../../runs/index.ts';
import { modelTurnsOf } from '../turns/model-turns.ts';
import { presentAnswer } from '../presenter.ts';
import {
  ChatResponse,
  ChatStateResponse,
  ChatParams,
  ChatRequest,
  StreamQuery,
  TurnHeaders,
  ChatEditorResponse,
  ChatEditorRequest,
} from '../schemas.ts';
import { cancelTurn } from '../control.ts';
import { findChat, lastTurn } from '../service.ts';
import { followChatTurns } from '../stream/follow.ts';
import { endOfTurn, resumedTurn, streamTurn, turnFor } from './answer.ts';
import { chatEndpoint as endpoint, READ, tags, WRITE } from './deps.ts';

const STREAM_ORDER =
  "The stream is the AI SDK's UI message stream (`x-vercel-ai-ui-message-stream: v1`). Order: `start` with messageId and chatId; " +
  'then for each model turn its reasoning and its text, each as -start, -delta …, -end, one at a time; then `data-*` results of the turn, `error` ' +
  '(it failed) or `abort` (it was cancelled), `finish` and `[DONE]`. The text of a message is the concatenation of its text parts. `reset-step` ' +
  'retracts everything since the last `start-step`, or since `start` if steps are not marked: a repeated model call never doubles its text. ' +
  'With include=tools steps are marked (`start-step`, `finish-step`), and tool calls, results, plan and citations come as tool-* and data-* parts. ' +
  'Every event has an id: a request with Last-Event-ID resumes after it, on any node, and nothing is missed or repeated. ' +
  'With include=tools a position that is no longer known is a 409 `position_lost`; try again without Last-Event-ID.';

export const chat = endpoint({
  method: 'post',
  path: '/api/v1/chat',
  operationId: 'chat',
  summary: 'Send a message and get the answer, whole or as a stream',
  description:
    'A turn continues if the client disconnects; read the chat or follow its stream again. While a turn runs, another one is refused with 409 and ' +
    'Retry-After. To resume after a broken connection, repeat the same request with Last-Event-ID (scope `chats:read`; a different request is a 409 ' +
    `\`other_request\`). investigation_id requires the scope \`investigations:read\`, the chat of a monitoring agent \`monitoring:write\`. ${STREAM_ORDER}`,
  tags,
  auth: apiKeyVia('bearer', WRITE),
  query: StreamQuery,
  headers: TurnHeaders,
  body: ChatRequest,
  response: ChatResponse,
  content: { 'text/event-stream': 'The answer as it is written, with stream=true.' },
  errors: [404, 409, 502, 503],
  handler: async (call) => {
    const { body, query, em, principal } = call;
    if (body.investigation_id !== undefined) requireOneOf(principal, 'investigations:read');
    const { turn, after } = await turnFor(call, {
      purpose: 'answer',
      messages: body.messages,
      chatId: body.chat_id,
      model: body.model,
      systemPrompt: body.system_prompt,
      allowSideEffects: body.allow_side_effects,
      investigationId: body.investigation_id,
    });
    if (query.stream) return await streamTurn(call, { turn, after }, query.include);
    const ended = await endOfTurn(call, turn);
    return presentAnswer(ended, await modelTurnsOf(em.fork(), ended));
  },
});

export const followChat = endpoint({
  method: 'get',
  path: '/api/chat/{chat_id}/stream',
  operationId: 'followChat',
  summary: 'Stream the running or last turn of a chat',
  description:
    'Starts at the beginning, or after Last-Event-ID (header, or the query parameter last_event_id). If that turn has ended and there is a newer ' +
    `one, streams the newest. ${STREAM_ORDER}`,
  tags,
  auth: apiKey(READ),
  params: ChatParams,
  query: StreamQuery.pick({ include: true }).extend({ last_event_id: z.string().max(256).optional() }),
  content: { 'text/event-stream': 'The turn as it happens.' },
  errors: [404, 409],
  handler: async (call) => {
    const { em, params, query } = call;
    const found = await findChat(em, params.chat_id);
    const resumed = await resumedTurn(call, query.last_event_id);
    const place = resumed?.turn.chatId === found.id ? resumed : { turn: await lastTurn(em, found.id) };
    return await streamTurn(call, place, query.include, followChatTurns);
  },
});

export const cancelChat = endpoint({
  method: 'post',
  path: '/api/chat/{chat_id}/cancel',
  operationId: 'cancelChatTurn',
  summary: 'Cancel the running turn of a chat',
  description: 'In-flight tools are stopped; the text so far is kept. The turn is cancelled a moment later.',
  tags,
  auth: apiKey(WRITE),
  params: ChatParams,
  response: ChatStateResponse,
  errors: [404, 409],
  handler: async ({ em, deps, params }) => {
    const turn = await cancelTurn(deps.chats, em, params.chat_id);
    return { chat_id: turn.chatId, status: shownStatus(turn.status) };
  },
});

const NOTHING = { status: 'unchanged' as const, commit: null, paths: [], diff: '', truncated: false, conflicts: [] };

export const chatEditor = endpoint({
  method: 'post',
  path: '/api/chat-editor',
  operationId: 'chatEditor',
  summary: 'Edit files of the workspace in a chat',
  description:
    'The changes of a turn become one commit, or with mode=propose a diff. If somebody else changed the same paths, that is a conflict ' +
    'and nothing is written. With stream=true it streams as POST /api/v1/chat does, with the changes as a `data-changes` part.',
  tags,
  auth: apiKey(WRITE, 'workspace:write'),
  query: StreamQuery,
  headers: TurnHeaders,
  body: ChatEditorRequest,
  response: ChatEditorResponse,
  content: { 'text/event-stream': 'The turn as it happens, with stream=true.' },
  errors: [404, 409, 502, 503],
  handler: async (call) => {
    const { body, query, em } = call;
    const { turn, after } = await turnFor(call, {
      purpose: 'edit',
      messages: body.messages,
      chatId: body.chat_id,
      model: body.model,
      mode: body.mode,
    });
    if (query.stream || body.stream) return await streamTurn(call, { turn, after }, query.include);
    const ended = await endOfTurn(call, turn);
    return { ...presentAnswer(ended, await modelTurnsOf(em.fork(), ended)), ...(ended.outcome?.changes ?? NOTHING) };
  },
});
