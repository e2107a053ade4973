import type Koa from 'koa';
import { DependencyDown, TooManyRequests } from '../errors.ts';
import type { Context } from 'koa';
import { requestSignal, streamCaller } from '../request-scope.ts';

/** Who holds a stream open, and whether they still may. */
export interface StreamCaller {
  /** The API key's id, or the address of a caller without a key. */
  id: string;
  /** Checked periodically while the stream is open: a revoked key must not keep reading. */
  mayStay: () => Promise<boolean>;
}

export interface StreamLimits {
  perCaller: number;
  /** Per process. */
  inAll: number;
}

/** Each stream occupies a socket, timers and a tail of the event log for as long as it lives. */
const LIMITS: StreamLimits = { perCaller: 100, inAll: 5_000 };

/** When a rejected client may try again, in seconds. */
const RETRY_SECONDS = 10;

interface OpenStreams {
  byCaller: Map<string, number>;
  /** Notified when the app begins to stop. */
  listeners: Set<() => void>;
}

const openOn = new WeakMap<Koa, OpenStreams>();

function streamsOf(app: Koa): OpenStreams {
  let streams = openOn.get(app);
  if (!streams) {
    streams = { byCaller: new Map(), listeners: new Set() };
    openOn.set(app, streams);
  }
  return streams;
}

/**
 * Takes a place for a long response.
 * @param onShutdown called when the app begins to stop
 * @returns frees the place; may be called more than once
 * @throws {TooManyRequests} `too_many_streams` when the caller has reached its maximum
 * @throws {DependencyDown} `too_many_streams` when the process has
 */
export function openStream(app: Koa, callerId: string, onShutdown: () => void, limits = LIMITS): () => void {
  const { byCaller, listeners } = streamsOf(app);
  const held = byCaller.get(callerId) ?? 0;
  if (held >= limits.perCaller) {
    throw new TooManyRequests(
      RETRY_SECONDS,
      `At most ${limits.perCaller} event streams can be open at a time.`,
      'too_many_streams',
    );
  }
  if (listeners.size >= limits.inAll) {
    throw new DependencyDown('This server has reached its limit of open event streams.', 'too_many_streams', {
      headers: { 'Retry-After': String(RETRY_SECONDS) },
    });
  }
  // Wrapped, so that a callback given twice counts twice.
  const listener = () => onShutdown();
  listeners.add(listener);
  byCaller.set(callerId, held + 1);
  return () => {
    if (!listeners.delete(listener)) return;
    const left = (byCaller.get(callerId) ?? 1) - 1;
    if (left === 0) byCaller.delete(callerId);
    else byCaller.set(callerId, left);
  };
}

/** Notifies everything still open on the app that it begins to stop. */
export function announceShutdown(app: Koa): void {
  for (const listener of openOn.get(app)?.listeners ?? []) listener();
}

/** The number of long responses open on the app. */
export const openStreams = (app: Koa): number => openOn.get(app)?.listeners.size ?? 0;

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
