/** Turns that edit the team's workspace. */
import { apiKey } from '../../../http/authenticate.ts';
import { modelTurnsOf } from '../model-turns.ts';
import { presentAnswer } from '../presenter.ts';
import { ChatEditorResponse } from '../response-schemas.ts';
import { ChatEditorRequest, StreamQuery, TurnHeaders } from '../schemas.ts';
import { endOfTurn, streamTurn, turnFor } from './answer.ts';
import { chatEndpoint as endpoint, tags, WRITE } from './deps.ts';

const NOTHING = { status: 'unchanged' as const, commit: null, paths: [], diff: '', truncated: false, conflicts: [] };

export const chatEditor = endpoint({
  method: 'post',
  path: '/api/chat-editor',
  operationId: 'chatEditor',
  summary: "Let a chat edit the files of the team's workspace",
  description:
    'The changes of a turn become one commit, or with mode=propose a diff. Somebody else’s changes to the same paths meanwhile are a conflict: ' +
    'then nothing is written. With stream=true it streams as POST /api/v1/chat does, with the changes as a `data-changes` part.',
  tags,
  auth: apiKey(WRITE, 'workspace:write'),
  query: StreamQuery,
  headers: TurnHeaders,
  body: ChatEditorRequest,
  response: ChatEditorResponse,
  content: { 'text/event-stream': 'The turn as it comes, with stream=true.' },
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
