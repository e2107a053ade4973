import type { Context } from 'koa';
import type { EntityManager } from '../db/orm.ts';
import { forTeam } from '../db/team-filter.ts';
import type { Logger } from '../platform/logger.ts';
import type { Principal } from './authenticate.ts';
import type { ApiDeps } from './deps.ts';
import { requestId, requestLog, requestSignal } from './request-scope.ts';
import type { ValidRequest } from './validation/request.ts';

/** What a handler gets; the costly parts are made when they are first read, so that a poll pays for none of them. */
export class RequestCall<D extends ApiDeps> {
  readonly ctx: Context;
  readonly deps: D;
  readonly principal: Principal | undefined;
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly body: unknown;
  #em: EntityManager | undefined;

  constructor(ctx: Context, deps: D, principal: Principal | undefined, request: ValidRequest) {
    this.ctx = ctx;
    this.deps = deps;
    this.principal = principal;
    this.params = request.params;
    this.query = request.query;
    this.headers = request.headers;
    this.body = request.body;
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
