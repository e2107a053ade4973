/**
 * MCP over streamable HTTP: the SDK's transport, with its gaps closed. A request whose stream ends without an answer
 * fails at once instead of waiting for its timeout; bodies are bounded; the stream of a cancelled or refused request is
 * not resumed.
 */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { FetchLike, Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { QueryError } from '@casebook/connectors';
import { answeredId, McpUnauthorized, rejection } from '../errors.ts';
import { MAX_MESSAGE_BYTES, type HttpServer } from '../settings.ts';
import { boundedBody } from './bounded-body.ts';
import { Requests } from './requests.ts';

/** How often the SDK tries to resume a stream. */
const RESUMPTIONS = 2;
const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: RESUMPTIONS,
};
/** Timeout for ending the session at the server when we leave, in ms. */
const GOODBYE_MS = 1_000;
const MAX_ABANDONED = 1_000;
/** What one stream may hold, in messages of the maximum size. */
const MAX_STREAM_MESSAGES = 2;
/** A notification that we append to a stream's events: the SDK delivers it after all of them. */
const STREAM_ENDED = 'casebook/stream-ended';

/** A request without an answer so far. */
interface OpenRequest {
  stream: AbortController;
  /** Id of the last event, which makes the stream resumable. */
  token?: string;
  failedResumptions: number;
  failure?: QueryError;
}

function requestId(body: unknown): number | undefined {
  if (typeof body !== 'string') return undefined;
  const message: unknown = JSON.parse(body);
  if (typeof message !== 'object' || message === null || !('method' in message) || !('id' in message)) return undefined;
  return Number(message.id);
}

export class HttpTransport implements Transport {
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  onmessage?: Transport['onmessage'];
  /** Something failed: check whether the server is still there. */
  ontrouble?: () => void;
  readonly #inner: StreamableHTTPClientTransport;
  readonly #settings: HttpServer;
  readonly #requests: Requests;
  readonly #open = new Map<number, OpenRequest>();
  /** Tokens of abandoned streams. */
  readonly #abandoned = new Set<string>();

  constructor(settings: HttpServer) {
    this.#settings = settings;
    this.#requests = new Requests(settings);
    this.#inner = new StreamableHTTPClientTransport(new URL(settings.url), {
      fetch: (target, init) => this.#fetch(target, init),
      reconnectionOptions: RECONNECTION,
    });
    const handlers: Pick<Transport, 'onclose' | 'onerror' | 'onmessage'> = {
      onclose: () => this.onclose?.(),
      onerror: (error) => this.onerror?.(error),
      onmessage: (message) => this.#received(message),
    };
    Object.assign(this.#inner, handlers);
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if ('method' in message && 'id' in message) {
      const id = Number(message.id);
      const request: OpenRequest = { stream: new AbortController(), failedResumptions: 0 };
      this.#open.set(id, request);
      const onresumptiontoken = (token: string): void => {
        request.token = token;
        // It may have been cancelled before its first event.
        if (this.#open.get(id) !== request) this.#forget(token);
        options?.onresumptiontoken?.(token);
      };
      try {
        await this.#inner.send(message, { ...options, onresumptiontoken });
      } catch (error) {
        this.#open.delete(id);
        throw error;
      }
      return;
    }
    const cancelled = 'method' in message && message.method === 'notifications/cancelled';
    const request = cancelled ? this.#abandon(Number(message.params?.['requestId'])) : undefined;
    try {
      await this.#inner.send(message, options);
    } finally {
      request?.stream.abort();
    }
  }

  /** Ends the session at the server, if possible. */
  async goodbye(): Promise<void> {
    const late = new Promise<void>((resolve) => {
      setTimeout(resolve, GOODBYE_MS).unref();
    });
    await Promise.race([late, this.#inner.terminateSession().catch(() => undefined)]);
  }

  async close(): Promise<void> {
    await this.#inner.close();
    await this.#requests.close();
  }

  /** The request was abandoned or failed, yet the SDK would still resume the stream. */
  #abandon(id: number): OpenRequest | undefined {
    const request = this.#open.get(id);
    this.#open.delete(id);
    if (request?.token !== undefined) this.#forget(request.token);
    return request;
  }

  #forget(token: string): void {
    this.#abandoned.add(token);
    const [oldest] = this.#abandoned;
    if (this.#abandoned.size > MAX_ABANDONED && oldest !== undefined) this.#abandoned.delete(oldest);
  }

  #received(message: JSONRPCMessage): void {
    if ('method' in message) {
      if (message.method === STREAM_ENDED) this.#streamEnded(Number(message.params?.['id']));
      else this.onmessage?.(message);
      return;
    }
    const id = answeredId(message);
    if (id === undefined || !this.#open.has(id)) return;
    if ('error' in message) this.#abandon(id);
    else this.#open.delete(id);
    this.onmessage?.(message);
  }

  #streamEnded(id: number): void {
    const request = this.#open.get(id);
    if (request === undefined) return;
    if (request.failure !== undefined) this.#fail(id, request.failure);
    else if (request.token === undefined) {
      this.#fail(id, new QueryError('failed', 'The MCP server closed the connection before it answered.'));
    }
  }

  #fail(id: number, error: QueryError): void {
    this.#abandon(id);
    this.onmessage?.(rejection(id, error));
  }

  #resumptionFailed(token: string | null | undefined): void {
    for (const [id, request] of this.#open) {
      if (token === undefined || request.token !== token) continue;
      request.failedResumptions += 1;
      if (request.failedResumptions < RESUMPTIONS) continue;
      this.#fail(id, new QueryError('failed', 'The connection to the MCP server broke and could not be resumed.'));
    }
  }

  readonly #fetch: FetchLike = async (url, init) => {
    const token = init?.method === 'GET' ? new Headers(init.headers).get('last-event-id') : undefined;
    // "No such stream", which the SDK would take for an answer.
    if (token && this.#abandoned.delete(token)) return new Response(null, { status: 405 });
    if (init?.method === 'GET' && !token && this.#settings.listen === false) return new Response(null, { status: 405 });
    const id = init?.method === 'POST' ? requestId(init.body) : undefined;
    const request = id === undefined ? undefined : this.#open.get(id);
    const signals = [init?.signal, request?.stream.signal].filter((signal) => signal instanceof AbortSignal);
    const signal = AbortSignal.any(signals);
    let response: Response;
    try {
      response = await this.#requests.send(url, { ...init, signal });
    } catch (error) {
      // A server that refuses is there.
      if (!signal.aborted && !(error instanceof McpUnauthorized)) this.ontrouble?.();
      this.#resumptionFailed(token);
      throw error;
    }
    if (!response.ok && !(init?.method === 'GET' && response.status === 405)) {
      this.ontrouble?.();
      this.#resumptionFailed(token);
    }
    return this.#bounded(response, id, signal);
  };

  #bounded(response: Response, id: number | undefined, signal: AbortSignal): Response {
    // A redirect's address is read off the response unchanged.
    if (response.body === null || (response.status >= 300 && response.status < 400)) return response;
    const events = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    const onEnd = (failure: unknown): string | undefined => {
      if (failure !== undefined && !signal.aborted) this.ontrouble?.();
      if (!events || id === undefined) return undefined;
      const request = this.#open.get(id);
      if (request !== undefined && failure instanceof QueryError) request.failure = failure;
      const ended: JSONRPCMessage = { jsonrpc: '2.0', method: STREAM_ENDED, params: { id } };
      return `\n\ndata: ${JSON.stringify(ended)}\n\n`;
    };
    const { maxMessageBytes: maxBytes = MAX_MESSAGE_BYTES } = this.#settings;
    const body = boundedBody(response.body, { maxBytes, maxTotalBytes: MAX_STREAM_MESSAGES * maxBytes, events, onEnd });
    return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
  }
}
