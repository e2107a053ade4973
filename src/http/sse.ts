import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { ContentResponse } from './content.ts';
import { openStream } from './open-streams.ts';
import { streamCaller } from './request-scope.ts';

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
  /** How often the caller's API key is looked at again, in ms. */
  checkCallerMs?: number;
  /** Ends the stream from outside. */
  signal?: AbortSignal;
  /** More response headers. */
  headers?: Readonly<Record<string, string>>;
}

/** Where a client wants to resume: the id of the last event it has seen. It is whatever the client sent. */
export function lastEventId(ctx: Context): string | undefined {
  const given = ctx.req.headers['last-event-id'];
  return typeof given === 'string' && given !== '' ? given : undefined;
}

/** How often a stream asks whether its caller may stay, in ms. */
const CHECK_CALLER_MS = 5_000;

/**
 * Answers with a stream of events. The source is pulled only as fast as the client reads. When the process stops,
 * clients are told when to come back and the stream ends; with Last-Event-ID nothing is lost. A stream whose API key
 * is revoked ends within seconds.
 * @throws {TooManyRequests} or {@link DependencyDown} when too many streams are open, see {@link openStream}
 */
export function sseResponse(ctx: Context, options: SseOptions): ContentResponse {
  const ended = new AbortController();
  const stopping = new AbortController();
  const caller = streamCaller(ctx);
  const release = openStream(ctx.app, caller.id, () => stopping.abort(new Error('The server is stopping.')));
  const watch = setInterval(() => {
    // When that cannot be found out, because the database is away, the stream stays.
    caller.mayStay().then(
      (may) => may || ended.abort(new Error('The API key is no longer valid.')),
      () => undefined,
    );
  }, options.checkCallerMs ?? CHECK_CALLER_MS);
  // Not in the generator: one that nobody began to read, as for HEAD, never reaches its `finally`.
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
 * @param stopping aborted when clients are to come back to another process
 * @param ended aborted when there is nobody left to send to
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
    // Spread over a while, so that the clients of a restarted node do not all come back at once.
    if (stopping.aborted) yield `retry: ${retryMs + Math.floor(Math.random() * retryMs)}\n\n`;
  } finally {
    done.abort(new Error('The stream has ended.'));
    // A source that is blocked answers `return` only once it wakes; nothing here waits for that.
    void Promise.resolve(source.return?.()).catch(() => undefined);
  }
}

/**
 * The next item of a source, for somebody who also wants to wake up after a while or when a signal aborts.
 * Not `Promise.race`: each race would leave a reaction on the promises that outlive it (the pending item and the
 * abort), and a stream that is open for days waits many times.
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

  /** Asks the source for its next item; to be called again only after that was taken. */
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
   * @param ms longest wait
   * @returns the item, or undefined when none came in time or the signal was aborted first
   * @throws what the source threw
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
    // A source may answer the abort with an error, which is no failure; what it still says is for nobody.
    return this.#signal.aborted ? undefined : arrived?.();
  }
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
