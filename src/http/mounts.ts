/** Serves sub-applications of rooms under a path. */
import type Koa from 'koa';
import type { Context, Middleware } from 'koa';
import type { ApiDeps } from './deps.ts';
import { HttpError, PayloadTooLarge } from './errors.ts';
import { limitRate } from './rate-limit/limit.ts';

/**
 * A sub-application and its path. It answers every request at or below the path that no endpoint does. It runs in the
 * context of the API's app, whose `keys` and `proxy` apply, and sees paths without the prefix.
 */
export interface Mount<D> {
  /** For example `/mcp`. */
  prefix: string;
  /** Called once, with the dependencies of endpoints. */
  app: (deps: D) => Pick<Koa, 'middleware'>;
}

/**
 * Serves a sub-application. The API's headers, rate limit by address and body limit apply; its authentication does not.
 * @throws {TypeError} if the prefix is not a path
 */
export function serveMount<D extends ApiDeps>({ prefix, app }: Mount<D>, deps: D): Middleware {
  if (!/^(?:\/[\w.-]+)+$/.test(prefix)) throw new TypeError(`${prefix} is no path to mount an application on.`);
  const { middleware } = app(deps);
  return async (ctx, next) => {
    const { path } = ctx;
    if (path !== prefix && !path.startsWith(`${prefix}/`)) return next();
    ctx.state['route'] = `${prefix}/*`;
    await limitRate(ctx, undefined, deps);
    checkBody(ctx, deps.config.bodyLimitBytes);
    const run = async (at: number): Promise<unknown> => middleware[at]?.(ctx, () => run(at + 1));
    try {
      ctx['mountPath'] = prefix;
      ctx.path = path.slice(prefix.length) || '/';
      return await run(0);
    } catch (error) {
      throw asHttpError(error);
    } finally {
      ctx.path = path;
    }
  };
}

/**
 * Node's parser holds a client to the length it declares.
 * @throws {HttpError} `length_required`
 * @throws {PayloadTooLarge}
 */
function checkBody({ req: { headers } }: Context, maxBytes: number): void {
  if (headers['transfer-encoding'] !== undefined)
    throw new HttpError(411, 'length_required', 'A body must have a Content-Length.', {
      headers: { Connection: 'close' },
    });
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw new PayloadTooLarge(maxBytes);
}

/** What Koa's `ctx.throw` throws, when its message is for the client. */
function asHttpError(error: unknown): unknown {
  if (!(error instanceof Error) || !('expose' in error) || error.expose !== true) return error;
  return 'status' in error && typeof error.status === 'number'
    ? new HttpError(error.status, 'error', error.message, { cause: error })
    : error;
}
