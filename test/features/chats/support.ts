/** Chats over the API as programs use them. */
import assert from 'node:assert/strict';
import { createParser } from 'eventsource-parser';
import { waitUntil } from '../../support/wait-until.ts';
import { anyTeam } from '../../../src/db/team-filter.ts';
import { ChatTurn } from '../../../src/features/chats/index.ts';
import type { UiChunk } from '../../../src/features/chats/stream/chunks.ts';
import { startHarness, type Harness, type HarnessOptions } from '../../support/harness.ts';
import type { RecordedRequest } from '../../support/scripted-model/index.ts';
import { StreamReader } from './reading.ts';
import { byQuestion, questionOf, taskOf, type Lines } from './script.ts';

export { ask, questionOf, taskOf, type Lines } from './script.ts';

export type Json = Record<string, never>;

export interface StreamedEvent {
  id: string;
  /** As it came over the wire. */
  data: string;
}

export interface Streamed {
  response: Response;
  events: StreamedEvent[];
  /** All but the last, `[DONE]`. */
  chunks: UiChunk[];
  text: string;
}

export interface Answer {
  chat_id: string;
  response: string;
  usage: {
    input_tokens: number;
    output_tokens: number;
    cache_creation_input_tokens: number;
    cache_read_input_tokens: number;
    cost: number;
    model: string;
    api_calls_count: number;
  };
}

interface Part {
  type: string;
  text?: string;
  toolCallId?: string;
  state?: string;
  input?: unknown;
  title?: string;
  errorText?: string;
  output?: { evidence: number; digest: string; bytes: number; resultUrl: string };
}

export interface Detail {
  id: string;
  title: string;
  running: boolean;
  side_effects_allowed: boolean;
  has_earlier: boolean;
  run: { turn_id: string; stream_url: string; phase: string | null; step: number | null } | null;
  messages: {
    id: string;
    role: string;
    parts: Part[];
    turn: {
      id: string;
      number: number;
      status: string;
      limit_reached: string | null;
      explanation: string | null;
      text: string;
      citations: { n: number; tool_call_id: string | null; sha256: string | null; excerpts: string[] }[];
      tool_calls: { id: string; evidence: number; name: string; status: string; is_error: boolean; sha256: string }[];
      usage: Answer['usage'];
    } | null;
  }[];
}

export interface Said {
  status: number;
  body: never;
  headers: Headers;
}

type Body = Record<string, unknown>;
interface Options {
  key?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Everything that a test says to the chats of one installation. */
export class Chats {
  readonly harness: Harness;
  constructor(harness: Harness) {
    this.harness = harness;
  }

  static async start(
    options: Omit<HarnessOptions, 'script'> & { lines: Record<string, Lines>; tasks?: Record<string, Lines> },
  ) {
    const { lines, tasks, ...rest } = options;
    return new Chats(await startHarness({ script: byQuestion(lines, tasks), ...rest }));
  }

  stop(): Promise<void> {
    return this.harness.stop();
  }

  fetch(method: string, path: string, body?: unknown, { key, headers, signal }: Options = {}): Promise<Response> {
    return fetch(this.harness.url + path, {
      method,
      signal,
      headers: {
        authorization: `Bearer ${key ?? this.harness.apiKey}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  }

  async call(method: string, path: string, body?: unknown, options?: Options): Promise<Said> {
    const response = await this.fetch(method, path, body, options);
    return { status: response.status, headers: response.headers, body: (await response.json()) as never };
  }

  /** Says something without a stream. */
  post(body: Body, options?: Options): Promise<Said> {
    return this.call('POST', '/api/v1/chat', body, options);
  }

  /** Asks a question and expects its answer. */
  async say(content: string, body: Body = {}, options?: Options): Promise<Answer> {
    const said = await this.post({ messages: [{ role: 'user', content }], ...body }, options);
    assert.equal(said.status, 200, JSON.stringify(said.body));
    return said.body;
  }

  /** Begins a turn with a stream and returns once it has begun; `seen` grows while the stream is read. */
  async begin(
    content: string,
    body: Body = {},
    { include, ...options }: Options & { include?: 'tools' } = {},
  ): Promise<{ chatId: string; turnId: string; seen: StreamedEvent[]; whole: Promise<Streamed> }> {
    const path = streamPath(include);
    const said = { messages: [{ role: 'user', content }], ...body };
    const response = await this.fetch('POST', path, said, options);
    const seen: StreamedEvent[] = [];
    const started = Promise.withResolvers<{ chatId: string; messageId: string }>();
    const whole = readEvents(response, (event) => {
      if (seen.push(event) === 1) started.resolve(JSON.parse(event.data));
    });
    whole.catch(started.reject);
    const { chatId, messageId } = await started.promise;
    return { chatId, turnId: messageId, seen, whole };
  }

  /** Asks a question and reads its whole stream. */
  async stream(
    content: string,
    body: Body = {},
    { include, ...options }: Options & { include?: 'tools' } = {},
  ): Promise<Streamed> {
    return readEvents(
      await this.fetch('POST', streamPath(include), { messages: [{ role: 'user', content }], ...body }, options),
    );
  }

  /** The stream of a chat's turn, after an event. */
  async follow(
    chatId: string,
    after?: string,
    { include, ...options }: Options & { include?: 'tools' } = {},
  ): Promise<Streamed> {
    const headers = { ...options.headers, ...(after !== undefined && { 'last-event-id': after }) };
    const path = `/api/chat/${chatId}/stream${include ? `?include=${include}` : ''}`;
    return readEvents(await this.fetch('GET', path, undefined, { ...options, headers }));
  }

  async detail(chatId: string, query = ''): Promise<Detail> {
    const { status, body } = await this.call('GET', `/api/chat/${chatId}${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  /** The chat's last turn, once it has ended. */
  async ended(chatId: string): Promise<NonNullable<Detail['messages'][number]['turn']>> {
    return waitUntil(
      async () => {
        const turn = (await this.detail(chatId)).messages.at(-1)?.turn;
        return turn && turn.status !== 'processing' ? turn : undefined;
      },
      { what: `the end of a turn of chat ${chatId}`, intervalMs: 50 },
    );
  }

  /** Waits for the workflow's end, which comes after the chat was named. */
  async settled(turnId: string): Promise<void> {
    await this.harness.temporal.workflow
      .getHandle(`chat-turn-${turnId}`)
      .result()
      .catch(() => undefined);
  }

  async turns(chatId: string): Promise<ChatTurn[]> {
    const em = this.harness.database.orm.em.fork();
    return em.find(ChatTurn, { chatId }, { ...anyTeam, orderBy: { number: 'asc' } });
  }

  countTurns(): Promise<number> {
    return this.harness.database.orm.em.fork().count(ChatTurn, {}, anyTeam);
  }

  /** What the model was asked about a question, in order. */
  requests(name: string): RecordedRequest[] {
    return this.harness.model.requests.filter(
      ({ body }) => taskOf(body) === undefined && questionOf(body).name === name,
    );
  }

  tasks(name: string): RecordedRequest[] {
    return this.harness.model.requests.filter(({ body }) => taskOf(body) === name);
  }

  /** A key of the first team with these scopes. */
  async key(...scopes: string[]): Promise<string> {
    const { status, body } = await this.call('POST', '/api/api-keys', { name: scopes.join(), scopes });
    assert.equal(status, 200, JSON.stringify(body));
    return (body as { api_key: string }).api_key;
  }

  /** A key that acts for a new member. */
  async personalKey(...scopes: string[]): Promise<string> {
    const member = { email: `${crypto.randomUUID()}@example.org`, name: 'A person', role: 'member' };
    const { body: added } = await this.call('POST', '/api/team/members', member);
    const request = { name: scopes.join(), scopes, user_id: (added as { user_id: string }).user_id };
    const { status, body } = await this.call('POST', '/api/api-keys', request);
    assert.equal(status, 200, JSON.stringify(body));
    return (body as { api_key: string }).api_key;
  }

  /** A key of another team, which may do everything in it. */
  async otherTeam(): Promise<string> {
    const body = { name: 'Another', admin_email: `${crypto.randomUUID()}@example.org`, admin_name: 'Admin' };
    const made = (await this.call('POST', '/api/teams', body)).body as { api_key: { api_key: string } };
    return made.api_key.api_key;
  }
}

const streamPath = (include?: 'tools'): string => `/api/v1/chat?stream=true${include ? `&include=${include}` : ''}`;

/** Reads a stream to its end by the rules of server-sent events. */
export async function readEvents(response: Response, onEvent?: (event: StreamedEvent) => void): Promise<Streamed> {
  assert.equal(response.status, 200);
  const events: StreamedEvent[] = [];
  const parser = createParser({
    onEvent: ({ id = '', data }) => {
      events.push({ id, data });
      onEvent?.({ id, data });
    },
  });
  for await (const bytes of response.body!.pipeThrough(new TextDecoderStream())) parser.feed(bytes);
  const chunks = events.filter(({ data }) => data !== '[DONE]').map(({ data }): UiChunk => JSON.parse(data));
  return {
    response,
    events,
    chunks,
    // Of a stream that begins in the middle there is none.
    get text() {
      return textOf(chunks);
    },
  };
}

/** The text of a message as a client has it at the end of these chunks. */
export function textOf(chunks: readonly UiChunk[]): string {
  const reader = new StreamReader();
  for (const chunk of chunks) reader.take(chunk);
  return reader.text;
}

export const typesOf = ({ chunks }: Pick<Streamed, 'chunks'>): string[] => chunks.map(({ type }) => type);
