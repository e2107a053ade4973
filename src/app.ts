/** The map of the API: every room and where its endpoints are. */
import Koa from 'koa';
import { collectDefaultMetrics, Gauge } from 'prom-client';
import { serviceEndpoints, type ServiceDeps } from './features/service/index.ts';
import { teamsEndpoints, type TeamsDeps } from './features/teams/index.ts';
import { corsFor } from './http/cors.ts';
import { docsEndpoints } from './http/docs.ts';
import type { Endpoint } from './http/endpoint.ts';
import { handleErrors } from './http/handle-errors.ts';
import { observe } from './http/observe.ts';
import { openStreams } from './http/open-streams.ts';
import { createRouter } from './http/router.ts';
import { securityHeaders } from './http/security-headers.ts';
import { unmatched } from './http/unmatched.ts';

/** What all rooms together need. */
export type AppDeps = ServiceDeps & TeamsDeps;

/** Every endpoint of the API, room by room. */
export const endpoints: readonly Endpoint<AppDeps>[] = [
  ...serviceEndpoints, // /error, /api/test-eks-deploy, /healthz, /readyz, /metrics
  ...teamsEndpoints, // /api/teams, /api/team, /api/api-keys, /api/users
  ...docsEndpoints(() => endpoints), // /openapi.json, /docs
];

/**
 * The API as a Koa app. A request passes: measure and log, CORS, errors to bodies, security headers, then its
 * endpoint: authenticate, rate limit, validate, handle, respond (http/router.ts).
 */
export function createApp(deps: AppDeps): Koa {
  const app = new Koa();
  app.silent = true;
  app.on('error', (error: Error) => reportLate(error, deps));
  measureProcess(app, deps);
  app.use(observe(deps.log, deps.metrics));
  for (const cors of corsFor(deps.config.corsOrigins)) app.use(cors);
  app.use(handleErrors(deps.log));
  app.use(securityHeaders());
  app.use(createRouter(endpoints, deps).routes() as unknown as Koa.Middleware);
  app.use(unmatched);
  return app;
}

/** Errors after the response has begun; there is nobody left to tell but the log. */
function reportLate(error: Error & { code?: string }, { log }: AppDeps): void {
  const left = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNABORTED'].includes(error.code ?? '');
  log[left ? 'debug' : 'error']({ err: error }, left ? 'A client went away' : 'A response failed after it had begun');
}

function measureProcess(app: Koa, { metrics }: AppDeps): void {
  collectDefaultMetrics({ register: metrics });
  const streams: Gauge = new Gauge({
    name: 'casebook_http_event_streams',
    help: 'Event streams that are open',
    registers: [metrics],
    collect: () => streams.set(openStreams(app)),
  });
}
