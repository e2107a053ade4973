import type { Context } from 'koa';
import { openStream } from './open-streams.ts';
import { requestSignal, streamCaller } from './request-scope.ts';

const KEEP_ALIVE_MS = 30_000;

/**
 * For a handler that waits a long time before it answers. It takes a place as an event stream does, which limits how
 * many requests a caller can hold open. The server's idle timeout is off meanwhile, because nothing is sent; TCP
 * notices a vanished peer.
 * @returns a signal that fires when the client disconnects or the process stops; `release` frees the place
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
