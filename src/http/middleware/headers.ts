import type { Context, Middleware } from 'koa';
import helmet from 'koa-helmet';
import cors from '@koa/cors';

/** No response of this API may be run, framed or embedded; its few pages set a policy of their own. */
const POLICY = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
  },
  frameguard: { action: 'deny' },
  // These headers affect only how browsers show pages, or only old browsers; on API responses they waste bytes.
  dnsPrefetchControl: false,
  ieNoOpen: false,
  originAgentCluster: false,
  permittedCrossDomainPolicies: false,
  xssFilter: false,
} as const;

/**
 * Sets Helmet's headers on every response. They do not depend on the request, so they are computed once rather than by
 * a dozen functions per poll.
 */
export function securityHeaders(): Middleware {
  let headers: [name: string, value: string][] | undefined;
  return async (ctx, next) => {
    headers ??= Object.entries(await helmetHeaders());
    for (const [name, value] of headers) ctx.res.setHeader(name, value);
    return next();
  };
}

async function helmetHeaders(): Promise<Record<string, string>> {
  const headers: Record<string, string> = { 'Cache-Control': 'no-store' };
  const recorder = {
    setHeader: (name: string, value: string) => void (headers[name] = value),
    removeHeader: () => undefined,
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- helmet reads nothing of the request and only sets headers
  await helmet(POLICY)({ req: {}, res: recorder } as unknown as Context, async () => undefined);
  return headers;
}

/**
 * Lets pages of these origins call the API. Without origins there is no CORS, so no other origin can. Session cookies
 * are for our own pages: credentials are not allowed.
 * @param origins exact origins, or `*`
 * @returns zero or one middleware
 */
export function corsFor(origins: readonly string[]): Middleware[] {
  if (origins.length === 0) return [];
  return [
    cors({
      origin: (ctx) => allowedOrigin(ctx.get('Origin'), origins),
      allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      allowHeaders: [
        'Content-Type',
        'Authorization',
        'X-API-Key',
        'Last-Event-ID',
        'Idempotency-Key',
        'If-Match',
        'If-None-Match',
        'X-Request-Id',
      ],
      exposeHeaders: [
        'ETag',
        'X-Request-Id',
        'Retry-After',
        'RateLimit-Limit',
        'RateLimit-Remaining',
        'RateLimit-Reset',
      ],
      maxAge: 600,
    }),
  ];
}

/** The origin as pages of it may call the API: itself, `*`, or nothing. @param origins exact origins, or `*` */
export function allowedOrigin(origin: string, origins: readonly string[]): string {
  if (origins.includes('*')) return '*';
  // Browsers send no trailing slash; people configure one.
  return origins.some((known) => known.replace(/\/+$/, '') === origin) ? origin : '';
}
