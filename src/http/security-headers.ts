import type { Context, Middleware } from 'koa';
import helmet from 'koa-helmet';

/** Nothing that this API answers is to be run, framed or embedded; the pages that are set their own policy. */
const POLICY = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
  },
  frameguard: { action: 'deny' },
  // These steer how a browser shows a page, long ago or still; on answers for programs they would only be bytes.
  dnsPrefetchControl: false,
  ieNoOpen: false,
  originAgentCluster: false,
  permittedCrossDomainPolicies: false,
  xssFilter: false,
} as const;

/**
 * Helmet's headers on every response. They do not depend on the request, so they are worked out once and not by a
 * dozen functions for each poll.
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
