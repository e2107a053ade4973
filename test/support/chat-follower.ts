/**
 * A client of chats as a program is one that knows server-sent events: it asks a question, takes a lost connection up
 * again with Last-Event-ID for as long as the turn goes on, and keeps everything it saw.
 */
import { randomUUID } from 'node:crypto';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { DONE, type UiChunk } from '../../src/features/chats/stream/chunks.ts';
import { waitUntil } from './wait-until.ts';
import { StreamReader } from '../features/chats/reading.ts';

export interface SeenChunk {
  id: string;
  data: UiChunk | typeof DONE;
}

export interface ChatFollower {
  /** In the order of arrival, over all connections. */
  events: SeenChunk[];
  /** All text parts together, as somebody sees them who follows the rules of the form. */
  text(): string;
  /** Once the stream has begun. */
  start(): Promise<{ messageId: string; chatId: string }>;
  /** Base URLs of the connections that were accepted. */
  connections: string[];
  /** The answer that was neither a stream nor 503, which ends it. */
  refusals: string[];
  /** Waits until this text is shown. */
  shows(text: string): Promise<void>;
  /** Resolves with the end of the stream. */
  ended: Promise<void>;
  stop(): void;
}

export interface FollowOptions {
  /** Base URL of the API, asked for at each connection; it is told how many there were. */
  url: (connections: number) => string;
  apiKey: string;
  include?: 'tools';
}

const RECONNECT_MS = 100;

/** Asks a question. A connection that breaks before the first event is made with the same idempotency key. */
export function askAndFollow(options: FollowOptions & { question: string }): ChatFollower {
  const { question, include } = options;
  const body = JSON.stringify({ messages: [{ role: 'user', content: question }] });
  const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  const path = `/api/v1/chat?stream=true${include ? `&include=${include}` : ''}`;
  return follow(options, (more) => [path, { method: 'POST', body, headers: { ...headers, ...more } }]);
}

/** Follows the turn that runs in a chat, or its last one. */
export function followChat(options: FollowOptions & { chatId: string }): ChatFollower {
  const { chatId, include } = options;
  const path = `/api/chat/${chatId}/stream${include ? `?include=${include}` : ''}`;
  return follow(options, (headers) => [path, { headers }]);
}

type Request = (more: Record<string, string>) => [path: string, init: RequestInit];

function follow({ url, apiKey }: FollowOptions, request: Request): ChatFollower {
  const events: SeenChunk[] = [];
  const refusals: string[] = [];
  const connections: string[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  const text = (): string => {
    const reader = new StreamReader();
    for (const { data } of events) if (data !== DONE) reader.take(data);
    return reader.text;
  };

  const connect = async (): Promise<boolean> => {
    const last = events.at(-1)?.id;
    const authorization = `Bearer ${apiKey}`;
    const [path, init] = request({ authorization, ...(last !== undefined && { 'last-event-id': last }) });
    const base = url(connections.length);
    const response = await fetch(base + path, { ...init, signal });
    if (!response.ok || !response.body) {
      if (response.status === 503) return false;
      refusals.push(`${response.status}: ${await response.text()}`);
      stopping.abort(new Error(refusals.at(-1)));
      return true;
    }
    connections.push(base);
    const parsed = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    for await (const { id = '', data } of parsed) {
      events.push({ id, data: data === DONE ? DONE : JSON.parse(data) });
      if (data === DONE) return true;
    }
    return false;
  };
  const followToItsEnd = async (): Promise<void> => {
    while (!signal.aborted) {
      if (await connect().catch(() => false)) return;
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    }
  };
  return {
    events,
    refusals,
    connections,
    text,
    start: () =>
      waitUntil(() => events.map(({ data }) => data).find((data) => data !== DONE && data.type === 'start'), {
        what: 'the start of the stream',
        intervalMs: 10,
        signal,
      }),
    shows: async (wanted) => {
      const shown = (): true | undefined => text().includes(wanted) || undefined;
      await waitUntil(shown, { what: `"${wanted}" in the stream`, intervalMs: 10, signal });
    },
    ended: followToItsEnd(),
    stop: () => stopping.abort(new Error('The follower was stopped.')),
  };
}
