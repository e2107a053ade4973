import type { Context } from 'koa';
import { openStream } from './open-streams.ts';
import { requestSignal, streamCaller } from './request-scope.ts';

/**
 * For a handler that waits for something long before it answers. It holds a place as an event stream does, so that
 * nobody holds any number of requests open.
 * @returns a signal that fires when the client goes away or the process stops; `release` gives the place back
 * @throws as {@link openStream} when there are too many
 */
export function waitingSignal(ctx: Context): { signal: AbortSignal; release: () => void } {
  const stopping = new AbortController();
  const release = openStream(ctx.app, streamCaller(ctx).id, () => stopping.abort(new Error('The server is stopping.')));
  return { signal: AbortSignal.any([stopping.signal, requestSignal(ctx)]), release };
}
