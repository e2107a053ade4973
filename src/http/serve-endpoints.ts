import Koa from 'koa';
import { collectDefaultMetrics, Gauge } from 'prom-client';
import { corsFor, securityHeaders } from './middleware/headers.ts';
import type { ApiDeps } from './deps.ts';
import type { Endpoint } from './endpoint.ts';
import { handleErrors } from './middleware/handle-errors.ts';
import { serveMount, type Mount } from './mounts.ts';
import { observe } from './middleware/observe.ts';
import { openStreams } from './streams/open-streams.ts';
import { createRouter, unmatched } from './router.ts';
import { webApp } from './web-app/index.ts';

/**
 * A Koa app that serves these endpoints. A request passes through metrics and logging, security headers, CORS, error
 * handling, then its endpoint: authenticate, rate limit, validate, handle, respond (router.ts). A mounted application or
 * the web app may answer what no endpoint does.
 * @param mounts applications of rooms, each under its prefix
 * @param webFolder the built web app, if it should be served
 */
export function serveEndpoints<D extends ApiDeps>(
  endpoints: readonly Endpoint<D>[],
  deps: D,
  { mounts = [], webFolder }: { mounts?: readonly Mount<D>[]; webFolder?: string } = {},
): Koa {
  const { trustedProxies, corsOrigins } = deps.config;
  const app = new Koa({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies });
  app.on('error', (error: Error) => reportLate(error, deps));
  measureProcess(app, deps);
  app.use(observe(deps.log, deps.metrics));
  app.use(securityHeaders());
  for (const cors of corsFor(corsOrigins)) app.use(cors);
  app.use(handleErrors(deps.log));
  app.use(createRouter(endpoints, deps));
  for (const mount of mounts) app.use(serveMount(mount, deps));
  if (webFolder !== undefined) {
    const apiPaths = endpoints.map(({ path }) => path);
    app.use(webApp(webFolder, apiPaths));
  }
  app.use(unmatched);
  return app;
}

const CLIENT_LEFT = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNABORTED']);

/** Errors after the response has begun can only be logged. */
function reportLate(error: Error & { code?: string }, { log }: ApiDeps): void {
  if (CLIENT_LEFT.has(error.code ?? '')) log.debug({ err: error }, 'A client disconnected');
  else log.error({ err: error }, 'A response failed after it had begun');
}

function measureProcess(app: Koa, { metrics }: ApiDeps): void {
  collectDefaultMetrics({ register: metrics });
  const streams: Gauge = new Gauge({
    name: 'casebook_http_event_streams',
    help: 'Open event streams',
    registers: [metrics],
    collect: () => streams.set(openStreams(app)),
  });
}
