import { createServer, STATUS_CODES, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type Koa from 'koa';
import { announceShutdown } from './streams/open-streams.ts';
import type { UpgradeHandler } from './upgrades.ts';

export interface HttpServerOptions {
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Maximum time from connecting to the end of the headers, in ms. */
  headersTimeoutMs?: number;
  /** Maximum time for a whole request to arrive, in ms. */
  requestTimeoutMs?: number;
  /** Maximum time a connection with a request may be silent, in ms. */
  idleTimeoutMs?: number;
  /** How often the first two timeouts are checked, in ms. */
  checkIntervalMs?: number;
  /** Takes over connections on its path that ask for another protocol (WebSocket); everything else stays HTTP. */
  upgrades?: UpgradeHandler;
}

export interface HttpServer {
  server: Server;
  /** The address it listens on. */
  port: number;
  /**
   * Stops: no new connections, event streams end with a hint when to reconnect, requests in flight may finish.
   * @param deadlineMs whatever is left after this is cut off
   */
  stop(deadlineMs?: number): Promise<void>;
}

/**
 * Serves an app over HTTP.
 * @throws the listen error (EADDRINUSE, EACCES)
 */
export async function createHttpServer(app: Koa, options: HttpServerOptions): Promise<HttpServer> {
  const server = createServer({
    // Limits how long a client can hold a connection by sending its request byte by byte.
    headersTimeout: options.headersTimeoutMs ?? 15_000,
    requestTimeout: options.requestTimeoutMs ?? 60_000,
    connectionsCheckingInterval: options.checkIntervalMs ?? 5_000,
    // Longer than the idle timeout of common load balancers, which would otherwise reuse a closing connection.
    keepAliveTimeout: 65_000,
    // Without a handler nothing is upgraded: the request is answered as plain HTTP.
    shouldUpgradeCallback: (request) => options.upgrades?.wants(request) ?? false,
  });
  server.on('upgrade', (request, socket, head) => options.upgrades?.upgrade(request, socket, head));
  // Limits how long a client that stops reading can hold its response; event streams send something more often.
  server.timeout = options.idleTimeoutMs ?? 120_000;
  const handle = app.callback();
  server.on('request', (req, res) => void handle(req, res));
  // Unknown expectations are ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (req, res) => void handle(req, res));
  server.on('clientError', answerClientError);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a port.');
  return { server, port: address.port, stop: (deadlineMs = 10_000) => stop(app, server, deadlineMs) };
}

async function stop(app: Koa, server: Server, deadlineMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // From now on responses close their connection; a keep-alive client would otherwise hold the server open.
  server.prependListener('request', (_req, res) => res.setHeader('Connection', 'close'));
  announceShutdown(app);
  server.closeIdleConnections();
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
  await closed;
  clearInterval(idle);
  clearTimeout(deadline);
}

const CLIENT_ERRORS: Record<string, { status: number; code: string; detail: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'headers_too_large', detail: 'The request headers are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'request_timeout', detail: 'The request took too long to arrive.' },
};

/** How long such a client may take to read its answer. */
const LINGER_MS = 1_000;

/** Malformed HTTP never reaches the app; it gets the same kind of body. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, code, detail } = CLIENT_ERRORS[error.code ?? ''] ?? {
    status: 400,
    code: 'bad_request',
    detail: 'This is not a valid HTTP request.',
  };
  const body = JSON.stringify({ detail, code });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Connection: close',
      'Cache-Control: no-store',
      "Content-Security-Policy: default-src 'none';frame-ancestors 'none'",
      'X-Content-Type-Options: nosniff',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );
  // A client that goes on sending would keep its half of the connection, and its request what it holds.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
