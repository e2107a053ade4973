import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { EntityManager } from '../db/orm.ts';
import { forTeam } from '../db/team-filter.ts';
import type { Logger } from '../platform/logger.ts';
import { authenticate, type Principal } from './authenticate.ts';
import { ContentResponse } from './content.ts';
import type { ApiDeps } from './deps.ts';
import type { Endpoint } from './endpoint.ts';
import { limitRate } from './rate-limit/limit.ts';
import { requestId, requestLog, requestSignal } from './request-scope.ts';
import { requestValidator, type ValidRequest } from './validation/request.ts';

/**
 * Routes of a room. For each request: authenticate, rate limit, validate, handle, respond.
 * @param endpoints in any order: a fixed path wins over one with a parameter in the same place
 */
export function createRouter<D extends ApiDeps>(endpoints: readonly Endpoint<D>[], deps: D): Router {
  const router = new Router();
  for (const endpoint of endpoints.toSorted(bySpecificity)) {
    checkDeclaration(endpoint);
    router.register(toRouterPath(endpoint.path), [endpoint.method], serve(endpoint, deps) as never, {
      name: endpoint.operationId,
    });
  }
  return router;
}

/** `/a/{id}` as the router writes it: `/a/:id`. */
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
  const declared = Object.keys((params?._zod.def as { shape?: object } | undefined)?.shape ?? {});
  const missing = inPath.filter((name) => !declared.includes(name!));
  if (missing.length > 0) throw new TypeError(`${where} does not declare its path parameters: ${missing.join(', ')}.`);
}

function serve<D extends ApiDeps>(endpoint: Endpoint<D>, deps: D): Middleware {
  const validate = requestValidator(endpoint, deps.config.bodyLimitBytes);
  const respond = responder(endpoint);
  return async (ctx) => {
    ctx.state['route'] = endpoint.path;
    const principal = endpoint.auth === 'none' ? undefined : await authenticate(ctx, endpoint.auth, deps);
    if (endpoint.rateLimited !== false) await limitRate(ctx, principal?.apiKeyId, deps);
    const request = await validate(ctx, ctx['params'] as Record<string, string>);
    respond(ctx, await endpoint.handler(new RequestCall(ctx, deps, principal, request) as never));
  };
}

/** Sends what a handler returned, through the declared schema: members it does not name never leave the process. */
function responder<D>({ response, content, operationId }: Endpoint<D>) {
  return (ctx: Context, result: unknown): void => {
    if (result instanceof ContentResponse) {
      if (!content || !Object.hasOwn(content, result.mediaType)) {
        throw new TypeError(`${operationId} does not declare the media type ${result.mediaType}.`);
      }
      ctx.set(result.headers);
      ctx.type = result.mediaType;
      ctx.body = result.body;
      return;
    }
    if (!response) throw new TypeError(`${operationId} declares no JSON response but returned one.`);
    const parsed = response.safeParse(result);
    if (!parsed.success) {
      throw new TypeError(`${operationId} returned what its response schema does not allow: ${parsed.error.message}`);
    }
    ctx.set('Content-Type', 'application/json; charset=utf-8');
    ctx.body = JSON.stringify(parsed.data);
  };
}

/** What a handler gets; the costly parts are made when they are first read, so that a poll pays for none of them. */
class RequestCall {
  readonly ctx: Context;
  readonly deps: ApiDeps;
  readonly principal: Principal | undefined;
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly body: unknown;
  readonly rawBody: Buffer;
  #em: EntityManager | undefined;

  constructor(ctx: Context, deps: ApiDeps, principal: Principal | undefined, request: ValidRequest) {
    this.ctx = ctx;
    this.deps = deps;
    this.principal = principal;
    this.params = request.params;
    this.query = request.query;
    this.headers = request.headers;
    this.body = request.body;
    this.rawBody = request.rawBody;
  }

  get em(): EntityManager {
    this.#em ??= this.principal ? forTeam(this.deps.orm.em, this.principal.teamId) : this.deps.orm.em.fork();
    return this.#em;
  }

  get log(): Logger {
    return requestLog(this.ctx, this.deps.log);
  }

  get signal(): AbortSignal {
    return requestSignal(this.ctx);
  }

  get requestId(): string {
    return requestId(this.ctx);
  }
}
