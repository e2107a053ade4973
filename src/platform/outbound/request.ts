/**
 * Makes one HTTP request over a connection of its own, only to destinations the guard allows, with bounded time and
 * length.
 */
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { OutboundError } from './errors.ts';
import type { Guard } from './guard.ts';

export interface OutboundLimits {
  /** For all of it: DNS, connection, TLS, request, response. */
  timeoutMs: number;
  maxResponseBytes: number;
}

/** The supported subset of fetch's options. Redirects are always an error. */
export interface OutboundRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string | FormData;
  redirect?: 'error' | 'follow' | 'manual';
  signal?: AbortSignal | null;
  /** Only status and headers are wanted: the connection closes as soon as they have arrived. */
  discardBody?: boolean;
}

const NO_BODY = new Set([204, 205, 304]);

/** @throws {OutboundError}; or the abort reason of `signal` */
export async function sendGuarded(
  guard: Guard,
  limits: OutboundLimits,
  address: string | URL,
  init: OutboundRequest = {},
): Promise<Response> {
  init.signal?.throwIfAborted();
  const problem = guard.urlProblem(address);
  if (problem !== undefined) throw new OutboundError('refused', problem);
  const url = new URL(address);
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), limits.timeoutMs);
  const stop = (): void => deadline.abort();
  init.signal?.addEventListener('abort', stop, { once: true });
  try {
    const response = await exchange(url, guard, init, deadline.signal);
    const answer = await toResponse(url, response, init.discardBody ? undefined : limits.maxResponseBytes);
    // A truncated response without a length would otherwise look complete.
    deadline.signal.throwIfAborted();
    return answer;
  } catch (error) {
    init.signal?.throwIfAborted();
    if (error instanceof OutboundError) throw error;
    if (deadline.signal.aborted) throw new OutboundError('timeout', `${url.host} did not answer in time.`);
    throw new OutboundError('unreachable', `${url.host} could not be reached${codeOf(error)}.`);
  } finally {
    clearTimeout(timer);
    init.signal?.removeEventListener('abort', stop);
  }
}

function exchange(url: URL, guard: Guard, init: OutboundRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { body } = init;
  if (body instanceof FormData) throw new TypeError('Only text bodies can be sent.');
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const options = {
    method: init.method ?? 'GET',
    headers: {
      'user-agent': 'Casebook',
      'accept-encoding': 'identity',
      ...init.headers,
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    },
    // No pool: a reused connection would not be checked again.
    agent: false,
    lookup: guard.lookup,
    signal,
  } as const;
  return new Promise((resolve, reject) => {
    request(url, options, resolve)
      .on('error', reject)
      // Destroyed without an error if the server wants to switch protocols.
      .on('close', () => reject(new Error('The connection was closed.')))
      .end(body);
  });
}

/** @param maxBytes maximum bytes of the body; undefined: it is not read */
async function toResponse(url: URL, message: IncomingMessage, maxBytes: number | undefined): Promise<Response> {
  try {
    const status = message.statusCode ?? 0;
    if (status >= 300 && status < 400 && message.headers.location !== undefined) {
      throw new OutboundError('redirect', `${url.host} answered with a redirect, which is not followed.`);
    }
    const headers = new Headers();
    for (const [name, values = []] of Object.entries(message.headersDistinct)) {
      for (const value of values) headers.append(name, value);
    }
    const body = maxBytes === undefined ? '' : await readAtMost(url, message, maxBytes);
    const bodyOrNone = NO_BODY.has(status) ? null : body;
    return new Response(bodyOrNone, { status, statusText: message.statusMessage ?? '', headers });
  } finally {
    message.on('error', () => undefined).destroy();
  }
}

async function readAtMost(url: URL, message: IncomingMessage, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes)
      throw new OutboundError('too_large', `The response of ${url.host} is longer than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The system's or TLS's code says what is wrong; a message may reveal too much. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? ` (${code})` : '';
}
