import type { Context } from 'koa';
import { openStream } from './open-streams.ts';
import { requestSignal, streamCaller } from './request-scope.ts';

const KEEP_ALIVE_MS = 30_000;

/**
 * For a handler that waits for something long before it answers. It holds a place as an event stream does, so that
 * nobody holds any number of requests open. Nothing passes meanwhile, so that the server's limit on silent connections
 * does not apply; a peer that vanished is noticed by TCP.
 * @returns a signal that fires when the client goes away or the process stops; `release` gives the place back
 * @throws as {@link openStream} when there are too many
 */
export function waitingSignal(ctx: Context): { signal: AbortSignal; release: () => void } {
  const stopping = new AbortController();
  const release = openStream(ctx.app, streamCaller(ctx).id, () => stopping.abort(new Error('The server is stopping.')));
  const { socket } = ctx.req;
  const idleMs = socket.timeout ?? 0;
  socket.setTimeout(0);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  return {
    signal: AbortSignal.any([stopping.signal, requestSignal(ctx)]),
    release: () => {
      socket.setTimeout(idleMs);
      release();
    },
  };
}
