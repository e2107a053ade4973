/** Serves the offline model on loopback, so that the keyless default uses the same client code. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { decide } from './decide.ts';
import { listen, readJson, sendError, sendJson, startEventStream, type RunningServer } from './http.ts';
import { answerEvents, answerMessage, encodeEvent, type Answer, type MessagesRequest } from './protocol.ts';
import { parseRequest } from './validate.ts';

export const OFFLINE_MODEL_NAME = 'casebook-offline-1';

/** The usual estimate for English and JSON. */
const CHARACTERS_PER_TOKEN = 4;

export function startOfflineModel(options: { port?: number } = {}): Promise<RunningServer> {
  return listen((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else sendError(response, 500, 'api_error', error instanceof Error ? error.message : 'Internal server error');
    });
  }, options.port ?? 0);
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://offline-model');
  const route = `${request.method} ${pathname}`;
  if (route === 'GET /v1/models') return sendJson(response, 200, modelList());
  if (route !== 'POST /v1/messages' && route !== 'POST /v1/messages/count_tokens') {
    return sendError(response, 404, 'not_found_error', `${route} does not exist`);
  }
  const body = await readJson(request);
  if (body === undefined) return sendError(response, 400, 'invalid_request_error', 'The body is not usable JSON.');
  const counting = pathname.endsWith('count_tokens');
  const parsed = parseRequest(counting ? { max_tokens: 1, ...(typeof body === 'object' && body) } : body);
  if (typeof parsed === 'string') return sendError(response, 400, 'invalid_request_error', parsed);
  if (parsed.model !== OFFLINE_MODEL_NAME) {
    return sendError(response, 404, 'not_found_error', `model: ${parsed.model}`);
  }
  if (counting) return sendJson(response, 200, { input_tokens: inputTokens(parsed) });
  const answer = answerTo(parsed);
  if (!parsed.stream) return sendJson(response, 200, answerMessage(answer));
  startEventStream(response);
  for (const event of answerEvents(answer)) response.write(encodeEvent(event));
  response.end();
}

export function answerTo(request: MessagesRequest): Answer {
  const { messages, tools = [], tool_choice = { type: 'auto' }, system = '' } = request;
  const prompt = typeof system === 'string' ? system : system.map(({ text }) => text).join('\n');
  const content = decide(messages, tools, tool_choice, prompt);
  return {
    id: `msg_offline_${messages.length}`,
    model: OFFLINE_MODEL_NAME,
    content,
    stopReason: content.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn',
    usage: { input_tokens: inputTokens(request), output_tokens: tokens(content) },
  };
}

function inputTokens({ system, messages, tools }: MessagesRequest): number {
  return tokens([system, messages, tools]);
}

function tokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / CHARACTERS_PER_TOKEN);
}

function modelList() {
  const model = {
    type: 'model',
    id: OFFLINE_MODEL_NAME,
    display_name: 'Casebook offline model',
    created_at: '2026-01-01T00:00:00Z',
  };
  return { data: [model], has_more: false, first_id: model.id, last_id: model.id };
}
