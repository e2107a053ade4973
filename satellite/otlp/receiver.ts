/**
 * The OTLP/HTTP receiver for traces (opentelemetry.io/docs/specs/otlp, "OTLP/HTTP"): applications and collectors that
 * send their spans here become part of the dependency graph.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import type { Log } from '../log.ts';
import { BodyBudget, withBody, Refusal } from './body.ts';
import type { OtlpConfig } from './config.ts';
import { JSON_ENCODING, encodingOf, type Encoding } from './encoding.ts';
import type { BorderSpan, ReceivedSpans } from './span.ts';

export interface OtlpReceiver {
  /** Base URL, for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  close(): Promise<void>;
}

interface OtlpReceiverOptions extends OtlpConfig {
  log: Log;
  /** Receives each export. */
  receive(spans: readonly BorderSpan[]): void;
  /** Maximum time for a request to arrive, in ms. */
  requestTimeoutMs?: number;
}

/**
 * Budget of all bodies in progress, as a multiple of the maximum size of one. At most one further body is decompressed
 * on top of it.
 */
const BODIES_AT_ONCE = 8;
const MAX_CONNECTIONS = 1_000;
/** How long to drain a refused client's remaining data, in ms, so that it can read the refusal. */
const LINGER_MS = 1_000;
/** google.rpc.Code, for the body of an error response. */
const CODES: Record<number, number> = { 400: 3, 401: 16, 404: 5, 405: 12, 413: 8, 415: 3, 429: 8 };

/** @throws when the port is taken */
export async function startOtlpReceiver(options: OtlpReceiverOptions): Promise<OtlpReceiver> {
  const { host, port, log, requestTimeoutMs = 30_000 } = options;
  const budget = new BodyBudget(BODIES_AT_ONCE * options.max_body_bytes);
  const server = createServer({
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, requestTimeoutMs),
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('request', (request, response) => {
    answer(request, response, options, budget).catch((error: unknown) => {
      if (!request.complete || response.destroyed)
        log.debug({ err: error }, 'a client of the OTLP receiver disconnected');
      else log.error({ err: error }, 'the OTLP receiver failed');
      response.destroy();
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: OtlpReceiverOptions,
  budget: BodyBudget,
): Promise<void> {
  let encoding = JSON_ENCODING;
  try {
    const path = request.url?.split('?')[0] ?? '';
    checkPath(path);
    checkToken(request, options.token);
    if (request.method !== 'POST') throw new Refusal(405, `${path} accepts only POST.`, { allow: 'POST' });
    encoding = encodingOf(request.headers['content-type']);
    const { decode } = encoding;
    const { spans, rejected } = await withBody(request, options.max_body_bytes, budget, (body) =>
      decoded(decode, body),
    );
    options.receive(spans);
    const body = encoding.response(rejected, 'Spans without a valid trace id, span id or time were left out.');
    response.writeHead(200, headers(encoding, body)).end(body);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await refuse(request, response, encoding, error);
  }
}

function checkPath(path: string): void {
  if (path === '/v1/traces') return;
  if (path === '/v1/metrics' || path === '/v1/logs') {
    throw new Refusal(
      404,
      `${path} is not supported: this receiver builds a dependency graph from spans, send /v1/traces.`,
    );
  }
  throw new Refusal(404, `There is nothing at ${path.slice(0, 100)}: spans go to /v1/traces.`);
}

function checkToken({ headers }: IncomingMessage, token: string | undefined): void {
  if (token === undefined) return;
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  // Constant-time comparison needs equal lengths, hence digests.
  if (timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`))) return;
  throw new Refusal(401, "Authorization: Bearer with the receiver's token is required.", {
    'www-authenticate': 'Bearer',
  });
}

function decoded(decode: (body: Uint8Array) => ReceivedSpans, body: Uint8Array): ReceivedSpans {
  try {
    return decode(body);
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 200) : String(error);
    throw new Refusal(400, `The body is not an ExportTraceServiceRequest in its encoding: ${why}`);
  }
}

async function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  encoding: Encoding,
  refusal: Refusal,
): Promise<void> {
  const body = encoding.status(CODES[refusal.status] ?? 2, refusal.message);
  if (request.complete) {
    response.writeHead(refusal.status, { ...headers(encoding, body), ...refusal.headers }).end(body);
    return;
  }
  // Closing the connection on a client that is still writing would lose the response as well.
  response.writeHead(refusal.status, { ...headers(encoding, body), ...refusal.headers, connection: 'close' });
  response.write(body);
  request.resume();
  await finished(request, { signal: AbortSignal.timeout(LINGER_MS) }).catch(() => undefined);
  response.end();
}

const headers = ({ contentType }: Encoding, body: Uint8Array): Record<string, string> => ({
  'content-type': contentType,
  'content-length': String(body.length),
});
