/**
 * Makes one HTTP request over a connection of its own, only to destinations the guard allows, with bounded time and
 * length.
 */
import { Agent, errors, request } from 'undici';
import { OutboundError, type Guard } from './guard.ts';

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
  /** Closes the connection once status and headers have arrived. */
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
  const { timeoutMs, maxResponseBytes } = limits;
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = init.signal ? AbortSignal.any([deadline, init.signal]) : deadline;
  // Never shared: an open connection would not be checked again.
  const dispatcher = new Agent({
    connect: { lookup: guard.lookup, timeout: timeoutMs },
    maxResponseSize: maxResponseBytes,
    pipelining: 0,
  });
  try {
    return await exchange(url, init, { dispatcher, signal });
  } catch (error) {
    init.signal?.throwIfAborted();
    if (error instanceof OutboundError) throw error;
    if (deadline.aborted) throw new OutboundError('timeout', `${url.host} did not answer in time.`);
    if (error instanceof errors.ResponseExceededMaxSizeError)
      throw new OutboundError('too_large', `The response of ${url.host} is longer than ${maxResponseBytes} bytes.`);
    throw new OutboundError('unreachable', `${url.host} could not be reached${codeOf(error)}.`);
  } finally {
    void dispatcher.destroy();
  }
}

async function exchange(
  url: URL,
  { method = 'GET', headers: wanted = {}, body: sent, discardBody = false }: OutboundRequest,
  options: { dispatcher: Agent; signal: AbortSignal },
): Promise<Response> {
  if (sent instanceof FormData) throw new TypeError('Only text bodies can be sent.');
  const headers = new Headers({ 'user-agent': 'Casebook', 'accept-encoding': 'identity' });
  for (const [name, value] of Object.entries(wanted)) headers.set(name, value);
  const reply = await request(url, { method, headers, body: sent, ...options });
  const { statusCode: status, statusText, headers: received } = reply;
  if (status >= 300 && status < 400 && received['location'] !== undefined) {
    throw new OutboundError('redirect', `${url.host} answered with a redirect, which is not followed.`);
  }
  const content = discardBody ? '' : await reply.body.arrayBuffer();
  const response = new Response(NO_BODY.has(status) ? null : content, { status, statusText });
  for (const [name, values = []] of Object.entries(received)) {
    for (const value of [values].flat()) response.headers.append(name, value);
  }
  return response;
}

/** The code of the system, TLS or undici says what is wrong; the message may reveal too much. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? ` (${code})` : '';
}
