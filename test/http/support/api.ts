import { once } from 'node:events';
import { request, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import type Koa from 'koa';
import { Registry } from 'prom-client';
import { loadConfig, type FullConfig } from '../../../src/rooms.ts';
import type { Orm } from '../../../src/db/orm.ts';
import type { Authenticator, Principal } from '../../../src/http/authenticate.ts';
import type { ApiDeps } from '../../../src/http/deps.ts';
import type { Endpoint } from '../../../src/http/endpoint.ts';
import { createRateLimiters } from '../../../src/http/rate-limit/index.ts';
import type { Mount } from '../../../src/http/mounts.ts';
import { serveEndpoints } from '../../../src/http/serve-endpoints.ts';
import { createHttpServer, type HttpServer, type HttpServerOptions } from '../../../src/http/server.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import { pino } from 'pino';

/** A clock that stands still until it is told otherwise. */
export class ManualClock implements Clock {
  #now = Date.parse('2026-01-01T00:00:00Z');
  now(): Date {
    return new Date(this.#now);
  }
  advance(ms: number): void {
    this.#now += ms;
  }
}

export interface LogLine extends Record<string, unknown> {
  level: number;
  msg: string;
}

/** A logger whose lines can be read. */
export function recordedLog(level = 'debug'): { log: ApiDeps['log']; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const log = pino({ level }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { log, lines };
}

export const testConfig = (env: Record<string, string> = {}): FullConfig =>
  loadConfig({ NODE_ENV: 'test', LOG_LEVEL: 'silent', CASEBOOK_RATE_LIMIT: 'off', ...env });

/** An authenticator that knows these keys. */
export function knownKeys(keys: Record<string, Partial<Principal>>): Authenticator & { verified: string[] } {
  const verified: string[] = [];
  return {
    verified,
    cached: () => undefined,
    recognises: () => false,
    expiredAt: () => undefined,
    async verify(apiKey) {
      verified.push(apiKey);
      const given = Object.hasOwn(keys, apiKey) ? keys[apiKey] : undefined;
      return given && { credentialId: apiKey, teamId: 'team', scopes: [], ...given };
    },
  };
}

/** No endpoint of these tests reads rows. */
const noDatabase = new Proxy(
  {},
  {
    get: (_target, name) => {
      throw new Error(`The database was used: ${String(name)}`);
    },
  },
);

export interface TestApi extends HttpServer {
  app: Koa;
  deps: ApiDeps;
  lines: LogLine[];
  url: string;
}

/** Serves endpoints on a free port of the loopback interface. */
export async function startApi<D extends ApiDeps = ApiDeps>(
  endpoints: readonly Endpoint<D>[],
  given: Partial<D> & {
    env?: Record<string, string>;
    server?: Partial<HttpServerOptions>;
    logLevel?: string;
    mounts?: readonly Mount<D>[];
    /** A built web app to serve beside the endpoints. */
    webFolder?: string;
  } = {},
): Promise<TestApi> {
  const { env, server, logLevel, mounts, webFolder, ...overrides } = given;
  const config = testConfig(env);
  const clock = overrides.clock ?? new ManualClock();
  const { log, lines } = recordedLog(logLevel);
  const base: ApiDeps = {
    config,
    log,
    clock,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it throws at the first use
    orm: noDatabase as unknown as Orm,
    authenticator: knownKeys({}),
    ...createRateLimiters({ config, clock, log }),
    readiness: [],
    metrics: new Registry(),
    ...overrides,
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a test gives what its endpoints need beyond the base
  const deps = base as D;
  const app = serveEndpoints(endpoints, deps, { mounts, webFolder });
  const http = await createHttpServer(app, { host: '127.0.0.1', port: 0, ...server });
  return { ...http, app, deps, lines, url: `http://127.0.0.1:${http.port}` };
}

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- bodies are whatever the server sent; tests look into them
  json: any;
}

/** One request with node:http, which sends what it is told to, unlike fetch. */
export async function send(
  url: string,
  options: { method?: string; headers?: Record<string, string | string[]>; body?: string | Buffer } = {},
): Promise<Reply> {
  const { body, method = 'GET' } = options;
  const headers = { ...options.headers };
  // Node sends a body with DELETE or GET without saying how long it is.
  if (body !== undefined && !('transfer-encoding' in headers))
    headers['content-length'] = String(Buffer.byteLength(body));
  const req = request(url, { method, headers, agent: false });
  req.end(body);
  const [res] = await once(req, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of res) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  const isJson = String(res.headers['content-type']).startsWith('application/json');
  return {
    status: res.statusCode,
    headers: res.headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}

/** A JSON request. */
export const sendJson = (
  url: string,
  body: unknown,
  options: { method?: string; headers?: Record<string, string> } = {},
) =>
  send(url, {
    method: options.method ?? 'POST',
    headers: { 'content-type': 'application/json', ...options.headers },
    body: JSON.stringify(body),
  });

/** Sends bytes as they are and returns everything that comes back until the server closes. */
export async function raw(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => undefined);
  socket.write(bytes);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('utf8');
}
