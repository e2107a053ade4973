import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { ContentResponse } from './content.ts';
import { onShutdown } from './open-streams.ts';
import { requestSignal } from './request-scope.ts';

/** One server-sent event. `data` that is not text is sent as JSON. */
export interface SseEvent {
  /** What the client sends back as Last-Event-ID to resume after this event. */
  id?: string;
  event?: string;
  data: unknown;
}

export interface SseOptions {
  /**
   * The events. Given as a function, it gets a signal that is aborted when the client goes away or the process stops;
   * a source that waits must listen to it.
   */
  stream: AsyncIterable<SseEvent> | ((signal: AbortSignal) => AsyncIterable<SseEvent>);
  /** How long a client waits before it connects again, in ms. */
  retryMs?: number;
  /** A comment is sent after this long without an event, so that proxies keep the connection, in ms. */
  heartbeatMs?: number;
  /** Ends the stream from outside. */
  signal?: AbortSignal;
}

/** Where a client wants to resume: the id of the last event it has seen. */
export function lastEventId(ctx: Context): string | undefined {
  const given = ctx.req.headers['last-event-id'];
  return typeof given === 'string' && given !== '' && given.length <= 256 ? given : undefined;
}

/**
 * Answers with a stream of events. The source is pulled only as fast as the client reads. When the process stops,
 * clients are told when to come back and the stream ends; with Last-Event-ID nothing is lost.
 */
export function sseResponse(ctx: Context, options: SseOptions): ContentResponse {
  ctx.req.socket.setNoDelay(true);
  const frames = Readable.from(framesOf(ctx, options), { objectMode: false, highWaterMark: 16_384 });
  return new ContentResponse('text/event-stream', frames, {
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  });
}

const HEARTBEAT = Symbol('heartbeat');
const STOPPED = Symbol('stopped');

async function* framesOf(ctx: Context, options: SseOptions): AsyncGenerator<string> {
  const { retryMs = 2_000, heartbeatMs = 15_000 } = options;
  const stop = new AbortController();
  const releaseShutdown = onShutdown(ctx.app, () => stop.abort(new Error('The server is stopping.')));
  const signal = AbortSignal.any([stop.signal, requestSignal(ctx), ...(options.signal ? [options.signal] : [])]);
  const stopped = new Promise<typeof STOPPED>((resolve) => {
    if (signal.aborted) resolve(STOPPED);
    else signal.addEventListener('abort', () => resolve(STOPPED), { once: true });
  });
  const source = (typeof options.stream === 'function' ? options.stream(signal) : options.stream)[
    Symbol.asyncIterator
  ]();
  try {
    yield `retry: ${retryMs}\n\n`;
    let pending = source.next();
    for (;;) {
      const heartbeat = timer(heartbeatMs);
      const next = await Promise.race([pending, heartbeat.elapsed, stopped]).finally(heartbeat.clear);
      if (next === STOPPED) {
        // The source was told through the signal; whatever it still says is for nobody.
        void pending.catch(() => undefined);
        break;
      }
      if (next === HEARTBEAT) {
        yield ':\n\n';
        continue;
      }
      if (next.done) return;
      yield formatEvent(next.value);
      pending = source.next();
      void pending.catch(() => undefined);
    }
    // Spread over a while, so that the clients of a restarted node do not all come back at once.
    if (stop.signal.aborted) yield `retry: ${retryMs + Math.floor(Math.random() * retryMs)}\n\n`;
  } finally {
    releaseShutdown();
    stop.abort(new Error('The stream has ended.'));
    // A source that is blocked answers `return` only once it wakes; nothing here waits for that.
    void Promise.resolve(source.return?.()).catch(() => undefined);
  }
}

function timer(ms: number): { elapsed: Promise<typeof HEARTBEAT>; clear: () => void } {
  const { promise, resolve } = Promise.withResolvers<typeof HEARTBEAT>();
  const handle = setTimeout(resolve, ms, HEARTBEAT);
  return { elapsed: promise, clear: () => clearTimeout(handle) };
}

/**
 * An event in the wire format of the HTML standard (section 9.2).
 * @throws {TypeError} when the id or the name holds a line break (or the id a NUL), which would forge other fields
 */
export function formatEvent({ id, event, data }: SseEvent): string {
  // oxlint-disable-next-line no-control-regex -- NUL is what the standard forbids in an id
  if (id !== undefined && /[\r\n\0]/.test(id)) throw new TypeError('An event id cannot hold line breaks.');
  if (event !== undefined && /[\r\n]/.test(event)) throw new TypeError('An event name cannot hold line breaks.');
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  const lines = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}${lines.join('')}\n`;
}
