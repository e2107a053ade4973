import type { Context } from 'koa';
import type { EntityManager } from '../db/orm.ts';
import { forTeam } from '../db/team-filter.ts';
import type { Logger } from '../platform/logger.ts';
import { createFairSlots, type FairSlots } from '../platform/fair-slots.ts';
import type { Principal } from './authenticate.ts';
import type { ApiDeps } from './deps.ts';
import { DependencyDown } from './errors.ts';
import { requestId, requestLog, requestSignal } from './request-scope.ts';
import type { ValidRequest } from './validation/request.ts';

const NOTHING = Buffer.alloc(0);

/** What a handler receives. Expensive parts are created on first read, so a poll pays for none of them. */
export class RequestCall<D extends ApiDeps> {
  readonly ctx: Context;
  readonly deps: D;
  readonly principal: Principal | undefined;
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly body: unknown;
  readonly rawBody: Buffer;
  readonly #starts: FairSlots;
  #em: EntityManager | undefined;

  constructor(ctx: Context, deps: D, principal: Principal | undefined, request: ValidRequest, starts: FairSlots) {
    this.ctx = ctx;
    this.deps = deps;
    this.principal = principal;
    this.params = request.params;
    this.query = request.query;
    this.headers = request.headers;
    this.body = request.body;
    this.rawBody = request.rawBody ?? NOTHING;
    this.#starts = starts;
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

  queued<T>(start: () => Promise<T>): Promise<T> {
    return this.#starts(this.principal?.teamId ?? '', start, this.signal);
  }
}

/** Starts allowed at once, in a process with twenty database connections. */
const MAX_STARTS = 12;
const MAX_STARTS_PER_TEAM = 10;
const MAX_WAITING_PER_TEAM = 500;
const MAX_WAITING = 1_000;

/** Slots for {@link RequestCall.queued}, one set per process. */
export const createStartSlots = (): FairSlots =>
  createFairSlots({
    slots: MAX_STARTS,
    slotsPerKey: MAX_STARTS_PER_TEAM,
    maxWaitingPerKey: MAX_WAITING_PER_TEAM,
    maxWaiting: MAX_WAITING,
    busy: () => new DependencyDown('Too many starts at once. Try again in a moment.', 'busy'),
  });
