import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { ContentResponse } from '../respond.ts';
import { openStream } from './open-streams.ts';
import { streamCaller } from '../request-scope.ts';

/** One server-sent event. `data` other than text is sent as JSON. */
export interface SseEvent {
  /** What the client sends as Last-Event-ID to resume after this event. */
  id?: string;
  event?: string;
  data: unknown;
}

export interface SseOptions {
  /**
   * The events. A function receives a signal that is aborted when the client disconnects or the process stops; a source
   * that waits must listen to it.
   */
  stream: AsyncIterable<SseEvent> | ((signal: AbortSignal) => AsyncIterable<SseEvent>);
  /** How long a client waits before it reconnects, in ms. */
  retryMs?: number;
  /** Silence after which a comment is sent to keep proxies from closing the connection, in ms. */
  heartbeatMs?: number;
  /** How often the caller's API key is checked again, in ms. */
  checkCallerMs?: number;
  /** Ends the stream from outside. */
  signal?: AbortSignal;
  /** Additional response headers. */
  headers?: Readonly<Record<string, string>>;
}

/** The id of the last event the client has seen, where it wants to resume. Untrusted. */
export function lastEventId(ctx: Context): string | undefined {
  const given = ctx.req.headers['last-event-id'];
  return typeof given === 'string' && given !== '' ? given : undefined;
}

/** How often a stream checks whether its caller may stay, in ms. */
const CHECK_CALLER_MS = 5_000;

/**
 * Answers with a stream of events. The source is pulled only as fast as the client reads. When the process stops,
 * clients learn when to reconnect and the stream ends; Last-Event-ID makes that lossless. A stream whose API key is
 * revoked ends within seconds.
 * @throws {TooManyRequests} or {@link DependencyDown} when too many streams are open, see {@link openStream}
 */
export function sseResponse(ctx: Context, options: SseOptions): ContentResponse {
  const ended = new AbortController();
  const stopping = new AbortController();
  const caller = streamCaller(ctx);
  const release = openStream(ctx.app, caller.id, () => stopping.abort(new Error('The server is stopping.')));
  const watch = setInterval(() => {
    // If the database is unavailable, the stream stays.
    caller.mayStay().then(
      (may) => may || ended.abort(new Error('The API key is no longer valid.')),
      () => undefined,
    );
  }, options.checkCallerMs ?? CHECK_CALLER_MS);
  // Not in the generator: if nothing reads it, as for HEAD, its `finally` never runs.
  ctx.res.once('close', () => {
    clearInterval(watch);
    release();
    ended.abort(new Error('The stream has ended.'));
  });
  ctx.req.socket.setNoDelay(true);
  const frames = Readable.from(framesOf(options, stopping.signal, ended.signal), {
    objectMode: false,
    highWaterMark: 16_384,
  });
  return new ContentResponse('text/event-stream', frames, {
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
    ...options.headers,
  });
}

/**
 * @param stopping aborted when clients should reconnect to another process
 * @param ended aborted when nobody is left to send to
 */
async function* framesOf(options: SseOptions, stopping: AbortSignal, ended: AbortSignal): AsyncGenerator<string> {
  const { retryMs = 2_000, heartbeatMs = 15_000 } = options;
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, stopping, ended, ...(options.signal ? [options.signal] : [])]);
  const source = (typeof options.stream === 'function' ? options.stream(signal) : options.stream)[
    Symbol.asyncIterator
  ]();
  const mailbox = new Mailbox(source, signal);
  try {
    yield `retry: ${retryMs}\n\n`;
    mailbox.ask();
    while (!signal.aborted) {
      const next = await mailbox.take(heartbeatMs);
      if (next === undefined) {
        if (!signal.aborted) yield ':\n\n';
      } else if (next.done) {
        return;
      } else {
        yield formatEvent(next.value);
        mailbox.ask();
      }
    }
    // Jitter, so that the clients of a restarted node do not all return at once.
    if (stopping.aborted) yield `retry: ${retryMs + Math.floor(Math.random() * retryMs)}\n\n`;
  } finally {
    done.abort(new Error('The stream has ended.'));
    // A blocked source answers `return` only once it wakes; do not wait for that.
    void Promise.resolve(source.return?.()).catch(() => undefined);
  }
}

/**
 * Reads a source's next item, but also wakes up after a while or when a signal aborts. Not `Promise.race`: each race
 * would leave a reaction on the promises that outlive it (the pending item and the abort), and a stream that is open
 * for days waits many times.
 */
class Mailbox<T> {
  readonly #source: AsyncIterator<T>;
  readonly #signal: AbortSignal;
  #arrived: (() => IteratorResult<T>) | undefined;
  #wake: (() => void) | undefined;

  constructor(source: AsyncIterator<T>, signal: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake?.(), { once: true });
  }

  /** Asks the source for its next item; call again only once that item was taken. */
  ask(): void {
    const arrive = (result: () => IteratorResult<T>) => {
      this.#arrived = result;
      this.#wake?.();
    };
    this.#source.next().then(
      (result) => arrive(() => result),
      (error: unknown) =>
        arrive(() => {
          throw error;
        }),
    );
  }

  /**
   * @param ms maximum wait
   * @returns the item, or undefined if none came in time or the signal aborted first
   * @throws whatever the source threw
   */
  async take(ms: number): Promise<IteratorResult<T> | undefined> {
    if (!this.#arrived && !this.#signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      this.#wake = resolve;
      await promise;
      this.#wake = undefined;
      clearTimeout(timer);
    }
    const arrived = this.#arrived;
    this.#arrived = undefined;
    // A source may answer the abort with an error, which is no failure; further items have no reader.
    return this.#signal.aborted ? undefined : arrived?.();
  }
}

/**
 * Serialises an event in the format of the HTML standard (section 9.2).
 * @throws {TypeError} when the id or the name contains a line break (or the id a NUL), which would forge other fields
 */
export function formatEvent({ id, event, data }: SseEvent): string {
  // oxlint-disable-next-line no-control-regex -- NUL is what the standard forbids in an id
  if (id !== undefined && /[\r\n\0]/.test(id)) throw new TypeError('An event id cannot contain line breaks.');
  if (event !== undefined && /[\r\n]/.test(event)) throw new TypeError('An event name cannot contain line breaks.');
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  const lines = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}${lines.join('')}\n`;
}
