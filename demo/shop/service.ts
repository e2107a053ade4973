/**
 * One service of the live shop: `node demo/shop/service.ts NAME`. Serves what description.ts says, `GET /metrics`, `GET
 * /healthz`, `POST /fault` with `{"kind": …}`, which injects a fault, and `POST /deploy` with `{"file": …, "version":
 * …}`, which replaces the code that queries its database, as a restart with another version would.
 * SHOP_ADDRESSES holds the base URL of every service as JSON; SHOP_LOKI_URL is where logs go, SHOP_OTLP_URL spans.
 */
import type { Context } from '@opentelemetry/api';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { createShopClient, UpstreamError } from './client.ts';
import { serviceName, shop, type Route, type ServiceName } from './description.ts';
import { Deployed, deployment } from './deployed.ts';
import { Fault, faultKinds, faultOf } from './faults.ts';
import { createShopLog } from './logs.ts';
import { createMetrics } from './metrics.ts';
import { ConnectionPool, PoolExhaustedError } from './pool.ts';
import { around } from './random.ts';
import { createShopTracing } from './tracing.ts';
import { messageOf } from '../../src/platform/message-of.ts';

/** A slower query is worth a log line. */
const SLOW_QUERY_MS = 250;

const service = serviceName(process.argv[2]);
const addresses: Record<ServiceName, string> = JSON.parse(process.env['SHOP_ADDRESSES'] ?? '{}');
const { routes, poolSize, callTimeoutMs } = shop[service];
const fault = new Fault();
const pool = poolSize === undefined ? undefined : new ConnectionPool(poolSize, fault);
const deployed = new Deployed();
const metrics = createMetrics(service, pool);
const log = createShopLog(service, process.env['SHOP_LOKI_URL']);
const tracing = createShopTracing(service, process.env['SHOP_OTLP_URL']);
const call = createShopClient({ service, addresses, timeoutMs: callTimeoutMs, graph: metrics.graph });

/** Serves a request as far as it can. @throws what prevents it */
async function perform({ workMs, query, calls }: Route, context: Context): Promise<void> {
  const burnt = fault.burn();
  if (burnt > 0) log.warn(`event loop was blocked for ${Math.round(burnt)} ms by one synchronous computation`);
  if (fault.isMisconfigured()) throw new Error('invalid configuration: TAX_RATE_TABLE is not set for region eu-west');
  await delay(around(workMs));
  if (pool && query) {
    const took = await tracing.call(query.sql, context, () => deployed.query(pool, query.ms));
    metrics.queryDuration?.observe(took / 1000);
    if (took > SLOW_QUERY_MS) log.warn(`slow query: ${query.sql} took ${Math.round(took)} ms (sequential scan)`);
  }
  for (const next of calls) {
    const name = `${next.method} ${next.path}`;
    await tracing.call(name, context, (within) => call(next, tracing.headersOf(within)));
  }
}

async function serve(route: Route, context: Context): Promise<number> {
  try {
    await perform(route, context);
    return 200;
  } catch (error) {
    log.error(messageOf(error));
    if (error instanceof UpstreamError) return error.status;
    return error instanceof PoolExhaustedError ? 503 : 500;
  }
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://shop');
  const asked = `${request.method} ${pathname}`;
  if (asked === 'GET /metrics') {
    const text = await metrics.registry.metrics();
    response.setHeader('content-type', metrics.registry.contentType).end(text);
  } else if (asked === 'GET /healthz') response.end(service);
  else if (asked === 'POST /fault') await setFault(request, response);
  else if (asked === 'POST /deploy') await deploy(request, response);
  else {
    const began = performance.now();
    const route = routes.find(({ method, path }) => `${method} ${path}` === asked);
    const status = route ? await tracing.serve(asked, request.headers, (context) => serve(route, context)) : 404;
    const seconds = (performance.now() - began) / 1000;
    const labels = { method: request.method ?? '', route: route?.path ?? 'unknown' };
    metrics.requests.inc({ ...labels, status });
    metrics.duration.observe(labels, seconds);
    const line = `${asked} ${status} ${Math.round(seconds * 1000)} ms`;
    if (status < 500) log.info(line);
    else log.error(line);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ service, status }));
  }
}

async function setFault(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body: unknown = await json(request).catch(() => undefined);
  const kind = faultOf(typeof body === 'object' && body !== null && 'kind' in body ? body.kind : undefined);
  if (kind === undefined) {
    response.writeHead(422).end(`kind must be one of ${[...faultKinds, 'none'].join(', ')}\n`);
    return;
  }
  fault.kind = kind === 'none' ? undefined : kind;
  if (fault.kind === undefined) pool?.recover();
  response.end(`${service}: ${kind}\n`);
}

async function deploy(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const wanted = deployment.parse(await json(request));
    await deployed.deploy(wanted);
    pool?.recover();
    log.info(`started version ${wanted.version}`);
    response.end(`${service}: ${wanted.version}\n`);
  } catch (error) {
    response.writeHead(422).end(`${messageOf(error)}\n`);
  }
}

const server = createServer((request, response) => {
  handle(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
});
const { hostname, port } = new URL(addresses[service]);
server.listen(Number(port), hostname);
process.on('SIGTERM', () => {
  server.close(() => void tracing.end().finally(() => process.exit(0)));
  server.closeAllConnections();
});
