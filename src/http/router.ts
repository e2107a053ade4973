import { Router } from '@koa/router';
import type { Middleware } from 'koa';
import type { FairSlots } from '../platform/fair-slots.ts';
import { authenticate, stayCheck } from './authenticate.ts';
import { createStartSlots, RequestCall } from './call.ts';
import type { ApiDeps } from './deps.ts';
import type { Endpoint } from './endpoint.ts';
import { callerId, limitRate } from './rate-limit/limit.ts';
import { requestSignal, setStreamCaller } from './request-scope.ts';
import { responder } from './respond.ts';
import { parametersOf } from './validation/coerce.ts';
import { createLargeBodySlots } from './validation/large-bodies.ts';
import { requestValidator } from './validation/request.ts';
import { MethodNotAllowed, NotFound } from './errors.ts';

/**
 * Routes endpoints. Each request is authenticated, rate limited, validated, handled and answered.
 * @param endpoints in any order: a fixed path wins over a parameter in the same position
 * @throws {TypeError} when a declaration is incomplete
 */
export function createRouter<D extends ApiDeps>(endpoints: readonly Endpoint<D>[], deps: D): Middleware {
  // Matches like the proxies in front of it: /Metrics must not evade a proxy rule that hides /metrics.
  const router = new Router({ sensitive: true });
  const slots = { largeBodies: createLargeBodySlots(), starts: createStartSlots() };
  for (const endpoint of endpoints.toSorted(bySpecificity)) {
    checkDeclaration(endpoint);
    const middleware = serve(endpoint, deps, slots);
    router.register(toRouterPath(endpoint.path), [endpoint.method], (ctx, next) => middleware(ctx, next), {
      name: endpoint.operationId,
    });
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the router types a context of its own, which it makes itself
  return router.routes() as unknown as Middleware;
}

/** `/a/{id}` in the router's syntax: `/a/:id`. */
const toRouterPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

const bySpecificity = (a: { path: string }, b: { path: string }): number => {
  const key = (path: string) =>
    path
      .split('/')
      .map((part) => (part.startsWith('{') ? '1' : '0'))
      .join('');
  return key(a.path) < key(b.path) ? -1 : key(a.path) > key(b.path) ? 1 : 0;
};

function checkDeclaration<D>({ method, path, params, response, content }: Endpoint<D>): void {
  const where = `${method.toUpperCase()} ${path}`;
  if (!response && !content) throw new TypeError(`${where} declares no response.`);
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
  const declared = params ? parametersOf(params) : [];
  const missing = inPath.filter((name) => !declared.some((parameter) => parameter.name === name));
  if (missing.length > 0) throw new TypeError(`${where} does not declare its path parameters: ${missing.join(', ')}.`);
}

function serve<D extends ApiDeps>(
  endpoint: Endpoint<D>,
  deps: D,
  { largeBodies, starts }: { largeBodies: FairSlots; starts: FairSlots },
): Middleware {
  const validate = requestValidator(endpoint, deps.config);
  const respond = responder(endpoint);
  const streams = Object.hasOwn(endpoint.content ?? {}, 'text/event-stream');
  return async (ctx) => {
    ctx.state['route'] = endpoint.path;
    const principal = endpoint.auth === 'none' ? undefined : await authenticate(ctx, endpoint.auth, deps);
    if (endpoint.rateLimited !== false) await limitRate(ctx, principal?.credentialId, deps);
    if (streams)
      setStreamCaller(ctx, {
        id: callerId(ctx, principal?.credentialId),
        mayStay: stayCheck(ctx, endpoint.auth, deps),
      });
    const pathParams: Record<string, string> = ctx['params'];
    const admitLarge = () => permission(largeBodies, callerId(ctx, principal?.teamId), requestSignal(ctx));
    const request = await validate(ctx, pathParams, admitLarge);
    const call = new RequestCall(ctx, deps, principal, request, starts);
    respond(ctx, await endpoint.handler(call));
  };
}

/** Takes a slot. @returns frees it */
async function permission(slots: FairSlots, key: string, signal: AbortSignal): Promise<() => void> {
  const taken = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const hold = (): Promise<void> => {
    taken.resolve();
    return over.promise;
  };
  slots(key, hold, signal).catch(taken.reject);
  await taken.promise;
  return over.resolve;
}

interface MatchedLayer {
  methods: string[];
}

/** Runs after the routers: answers 405 with `Allow` (or OPTIONS with 200) for a path that exists, 404 otherwise. */
export const unmatched: Middleware = (ctx) => {
  if (ctx['routeMatched'] === true) return;
  const layers: MatchedLayer[] = ctx['matched'] ?? [];
  const allowed = [...new Set(layers.flatMap(({ methods }) => methods))].toSorted();
  if (allowed.length === 0) throw new NotFound('Endpoint not found.');
  if (ctx.method !== 'OPTIONS') throw new MethodNotAllowed(allowed);
  ctx.status = 200;
  ctx.set('Allow', [...allowed, 'OPTIONS'].join(', '));
  ctx.body = '';
};
