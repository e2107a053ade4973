import { randomUUID } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import type { Logger } from '../../platform/logger.ts';
import { isUnreachable } from '../../platform/unreachable.ts';
import { DependencyDown, HttpError } from '../errors.ts';
import { requestLog } from '../request-scope.ts';
import { ClientGone } from '../validation/body.ts';

/** Turns anything thrown into a response: the only place where errors become bodies. */
export function handleErrors(log: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      respondWith(ctx, error, log);
    }
  };
}

function respondWith(ctx: Context, error: unknown, log: Logger): void {
  if (error instanceof ClientGone) {
    ctx.respond = false;
    ctx.res.destroy();
    return;
  }
  const known = error instanceof HttpError ? error : connectionFailure(error);
  if (known) {
    if (known.status >= 500)
      requestLog(ctx, log).warn({ err: known.cause ?? known, route: ctx.state['route'] }, known.message);
    send(ctx, known.status, known.body(), known.headers);
    return;
  }
  const errorId = randomUUID();
  requestLog(ctx, log).error(
    { err: error, errorId, method: ctx.method, route: ctx.state['route'] },
    'A request failed unexpectedly',
  );
  send(ctx, 500, {
    detail: 'An unexpected error occurred. Quote the error_id when you report it.',
    code: 'internal_error',
    error_id: errorId,
  });
}

function send(ctx: Context, status: number, body: unknown, headers: Record<string, string> = {}): void {
  ctx.status = status;
  ctx.set(headers);
  ctx.set('Content-Type', 'application/json; charset=utf-8');
  ctx.body = JSON.stringify(body);
}

/** A lost database or broker is not the request's fault: answer 503, with the cause in the log but not in the body. */
function connectionFailure(error: unknown): DependencyDown | undefined {
  if (!isUnreachable(error)) return undefined;
  const detail = 'A dependency of this service does not respond. Try again shortly.';
  return new DependencyDown(detail, undefined, { cause: error });
}
