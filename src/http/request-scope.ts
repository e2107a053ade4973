import { randomUUID } from 'node:crypto';
import type { Context } from 'koa';
import type { Logger } from '../platform/logger.ts';
import type { StreamCaller } from './streams/open-streams.ts';
import { ClientGone } from './validation/body.ts';

const SANE_ID = /^[A-Za-z0-9._-]{1,64}$/;

interface Scope {
  id: string;
  log?: Logger;
  controller?: AbortController;
  streamCaller?: StreamCaller;
}

/** Kept in the request's own state: a WeakMap of requests costs a poll an eighth of its time in garbage collection. */
const SCOPE = Symbol('request scope');

function scopeOf(ctx: Context): Scope {
  const state: { [SCOPE]?: Scope } = ctx.state;
  let scope = state[SCOPE];
  if (!scope) {
    const given = ctx.req.headers['x-request-id'];
    scope = { id: typeof given === 'string' && SANE_ID.test(given) ? given : randomUUID() };
    state[SCOPE] = scope;
  }
  return scope;
}

/**
 * The id of this request in logs and in its response: the caller's `X-Request-Id` if it is a plain word, else a new
 * one.
 */
export const requestId = (ctx: Context): string => scopeOf(ctx).id;

/** The logger of this request. The child logger is created once, and only when something logs. */
export function requestLog(ctx: Context, log: Logger): Logger {
  const scope = scopeOf(ctx);
  scope.log ??= log.child({ requestId: scope.id });
  return scope.log;
}

/** Records who will hold the event stream that may answer this request. */
export function setStreamCaller(ctx: Context, caller: StreamCaller): void {
  scopeOf(ctx).streamCaller = caller;
}

/** @throws {TypeError} for an endpoint that declares no event stream */
export function streamCaller(ctx: Context): StreamCaller {
  const caller = scopeOf(ctx).streamCaller;
  if (!caller) throw new TypeError('The endpoint does not declare the media type text/event-stream.');
  return caller;
}

/** Aborted when the connection closes before the response is complete. A stopping process lets requests finish. */
export function requestSignal(ctx: Context): AbortSignal {
  const scope = scopeOf(ctx);
  if (!scope.controller) {
    const controller = new AbortController();
    scope.controller = controller;
    ctx.res.once('close', () => {
      if (!ctx.res.writableFinished) controller.abort(new ClientGone());
    });
  }
  return scope.controller.signal;
}
