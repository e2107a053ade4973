import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { after, afterEach, before, describe, it } from 'mocha';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import Koa from 'koa';
import { apiKey } from '../../src/http/authenticate.ts';
import { endpoint } from '../../src/http/endpoint.ts';
import { DependencyDown, TooManyRequests } from '../../src/http/errors.ts';
import { openStream, openStreams } from '../../src/http/streams/open-streams.ts';
import { formatEvent, lastEventId, sseResponse, type SseEvent } from '../../src/http/streams/sse.ts';
import { knownKeys, send, startApi, type TestApi } from './support/api.ts';

interface Source {
  produced: number;
  returned: boolean;
  signal?: AbortSignal;
  ended: Promise<void>;
}

let source: Source;
let make: (signal: AbortSignal, from: number) => AsyncIterable<SseEvent>;

/** Runs `body` as the stream's source and records what becomes of it. */
function serveSource(body: (signal: AbortSignal, from: number) => AsyncIterable<SseEvent>): void {
  const ended = Promise.withResolvers<void>();
  source = { produced: 0, returned: false, ended: ended.promise };
  make = async function* (signal, from) {
    source.signal = signal;
    try {
      for await (const event of body(signal, from)) {
        source.produced++;
        yield event;
      }
    } finally {
      source.returned = true;
      ended.resolve();
    }
  };
}

async function* numbers(from: number, to: number): AsyncGenerator<SseEvent> {
  for (let i = from; i <= to; i++) yield { id: String(i), event: 'number', data: { value: i } };
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
  );

const endpoints = [
  endpoint({
    method: 'get',
    path: '/events',
    operationId: 'getEvents',
    summary: 'Events',
    tags: [],
    auth: 'none',
    content: { 'text/event-stream': 'Events' },
    handler: async ({ ctx }) =>
      sseResponse(ctx, {
        stream: (signal) => make(signal, Number(lastEventId(ctx) ?? 0) + 1),
        retryMs: 1_000,
        heartbeatMs: 20,
      }),
  }),
  endpoint({
    method: 'get',
    path: '/team-events',
    operationId: 'getTeamEvents',
    summary: 'Events for who has a key',
    tags: [],
    auth: apiKey('events:read'),
    content: { 'text/event-stream': 'Events' },
    handler: async ({ ctx }) =>
      sseResponse(ctx, { stream: (signal) => make(signal, 1), heartbeatMs: 20, checkCallerMs: 20 }),
  }),
];

/** Knows how often somebody waited for it. */
class CountedPromise<T> extends Promise<T> {
  static override readonly [Symbol.species] = Promise;
  reactions = 0;
  // oxlint-disable-next-line unicorn/no-thenable -- that is what is counted
  override then<A = T, B = never>(
    done?: ((value: T) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.reactions++;
    // oxlint-disable-next-line promise/no-callback-in-promise -- they are this method's own arguments
    return super.then(done, failed);
  }
}

/** Collects garbage, as `node --expose-gc` would. */
const collectGarbage = async () => {
  setFlagsFromString('--expose-gc');
  const gc: () => void = runInNewContext('gc');
  // What a WeakRef showed stays alive until the end of the turn.
  for (let i = 0; i < 3; i++) {
    await setImmediate();
    gc();
  }
};

describe('event streams', () => {
  let api: TestApi;
  const open: IncomingMessage[] = [];
  before(async () => {
    api = await startApi(endpoints);
  });
  afterEach(() => {
    for (const response of open.splice(0)) response.destroy();
  });
  after(() => api.stop());

  const connect = async (target: TestApi = api, headers: Record<string, string> = {}) => {
    const answered = once(get(`${target.url}/events`, { headers, agent: false }), 'response');
    const [response]: IncomingMessage[] = await answered;
    assert.ok(response);
    open.push(response);
    response.on('error', () => undefined);
    return response;
  };

  /** The source hears of it first, the bookkeeping a moment later. */
  const untilClosed = async () => {
    while (openStreams(api.app) > 0) await setImmediate();
  };

  const readAll = async (response: IncomingMessage) => {
    const events: EventSourceMessage[] = [];
    const retries: number[] = [];
    const parser = createParser({
      onEvent: (event) => void events.push(event),
      onRetry: (ms) => void retries.push(ms),
    });
    let text = '';
    response.setEncoding('utf8');
    for await (const chunk of response) {
      text += chunk;
      parser.feed(chunk);
    }
    return { events, retries, text };
  };

  it('begin with a retry hint and carry ids, names and data', async () => {
    serveSource(() => numbers(1, 3));
    const response = await connect();
    assert.equal(response.statusCode, 200);
    assert.match(String(response.headers['content-type']), /^text\/event-stream/);
    assert.equal(response.headers['cache-control'], 'no-cache, no-transform');
    assert.equal(response.headers['x-accel-buffering'], 'no');
    const { events, retries, text } = await readAll(response);
    assert.ok(text.startsWith('retry: 1000\n\n'));
    assert.deepEqual(retries, [1000]);
    assert.deepEqual(
      events.map(({ id, event, data }) => [id, event, JSON.parse(data).value]),
      [
        ['1', 'number', 1],
        ['2', 'number', 2],
        ['3', 'number', 3],
      ],
    );
    await source.ended;
  });

  it('resume after the Last-Event-ID', async () => {
    serveSource((_signal, from) => numbers(from, 5));
    const { events } = await readAll(await connect(api, { 'last-event-id': '3' }));
    assert.deepEqual(
      events.map(({ id }) => id),
      ['4', '5'],
    );
  });

  it('send comments while nothing happens', async () => {
    const go = Promise.withResolvers<void>();
    serveSource(async function* () {
      await go.promise;
      yield { data: 'done' };
    });
    const response = await connect();
    response.setEncoding('utf8');
    let text = '';
    response.on('data', (chunk) => {
      text += chunk;
      if (text.split('\n:\n').length > 2) go.resolve();
    });
    await once(response, 'end');
    assert.match(text, /\n:\n\n:\n\n/);
    assert.match(text, /data: done\n\n$/);
  });

  it('end their source when the client goes away, even one that waits', async () => {
    serveSource(async function* (signal) {
      yield { data: 'one' };
      await untilAborted(signal);
    });
    const response = await connect();
    await once(response, 'data');
    assert.equal(openStreams(api.app), 1);
    response.destroy();
    await source.ended;
    assert.equal(source.signal?.aborted, true);
    await untilClosed();
  });

  it('end their source when the client goes away while it is busy producing', async () => {
    serveSource(() => numbers(1, Number.MAX_SAFE_INTEGER));
    const response = await connect();
    await once(response, 'data');
    response.destroy();
    await source.ended;
    await untilClosed();
  });

  it('do not run ahead of a client that does not read', async () => {
    const big = 'x'.repeat(100_000);
    const stalled = Promise.withResolvers<void>();
    serveSource(async function* (signal) {
      for (let i = 0; i < 5_000 && !signal.aborted; i++) {
        yield { id: String(i), data: big };
      }
    });
    const response = await connect();
    response.pause();
    let before = -1;
    const watch = setInterval(() => {
      if (source.produced > 0 && source.produced === before) stalled.resolve();
      before = source.produced;
    }, 100);
    await stalled.promise;
    clearInterval(watch);
    assert.ok(source.produced < 500, `${source.produced} events of 100 kB were made for a client that reads none`);
    response.destroy();
    await source.ended;
  });

  it('log the failure of their source, and the server survives', async () => {
    serveSource(async function* () {
      yield { data: 'one' };
      throw new Error('the source broke');
    });
    const response = await connect();
    await assert.rejects(readAll(response), /aborted/);
    await source.ended;
    assert.ok(api.lines.some((line) => JSON.stringify(line).includes('the source broke')));
    serveSource(() => numbers(1, 1));
    assert.equal((await readAll(await connect())).events.length, 1);
  });

  it('tell clients when to come back as the server stops', async () => {
    const stopping = await startApi(endpoints);
    serveSource(async function* (signal) {
      yield { id: '7', data: 'one' };
      await untilAborted(signal);
    });
    const response = await connect(stopping);
    const reading = readAll(response);
    await once(response, 'data');
    await stopping.stop();
    const { events, retries } = await reading;
    assert.deepEqual(
      events.map(({ id }) => id),
      ['7'],
    );
    assert.equal(retries.length, 2);
    assert.ok(retries[1]! >= 1_000 && retries[1]! < 2_000);
    await source.ended;
  });

  it('wait for one item without piling up reactions on it, however often they wake meanwhile', async () => {
    let beats = 0;
    const { promise: gone, resolve: go } = Promise.withResolvers<IteratorResult<SseEvent>>();
    const item = new CountedPromise<IteratorResult<SseEvent>>((resolve) => void gone.then(resolve));
    const waiting: AsyncIterator<SseEvent> = { next: () => item };
    make = () => ({ [Symbol.asyncIterator]: () => waiting });
    const response = await connect();
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      beats += text.split('\n:\n').length - 1 + (text.startsWith(':\n') ? 1 : 0);
      if (beats >= 5) go({ done: true, value: undefined });
    });
    await once(response, 'end');
    assert.equal(item.reactions, 1);
  });

  it('that clients leave are forgotten', async () => {
    const left: WeakRef<AbortSignal>[] = [];
    const round = async () => {
      make = async function* (signal) {
        left.push(new WeakRef(signal));
        yield { data: 'x'.repeat(10_000) };
        await untilAborted(signal);
      };
      const responses = await Promise.all(Array.from({ length: 100 }, () => connect()));
      await Promise.all(responses.map((response) => once(response, 'data')));
      for (const response of responses) response.destroy();
      open.length = 0;
      await untilClosed();
    };
    for (let i = 0; i < 5; i++) await round();
    make = () => numbers(1, 1);
    await collectGarbage();
    const kept = left.filter((ref) => ref.deref() !== undefined).length;
    assert.equal(left.length, 500);
    assert.ok(kept <= 5, `${kept} of 500 streams are still in memory`);
  });

  it('of one caller are bounded; one that ends makes room', async () => {
    make = async function* (signal) {
      yield { data: 'one' };
      await untilAborted(signal);
    };
    const responses = await Promise.all(Array.from({ length: 100 }, () => connect()));
    const refused = await send(`${api.url}/events`);
    assert.equal(refused.status, 429);
    assert.equal(refused.json.code, 'too_many_streams');
    assert.ok(Number(refused.headers['retry-after']) > 0);
    responses[0]!.destroy();
    while (openStreams(api.app) > 99) await setImmediate();
    assert.equal((await connect()).statusCode, 200);
    for (const response of open.splice(0)) response.destroy();
    await untilClosed();
  });

  it('of all callers are bounded', () => {
    const app = new Koa();
    const limits = { perCaller: 2, inAll: 3 };
    const take = (caller: string) => openStream(app, caller, () => undefined, limits);
    const release = take('a');
    take('a');
    assert.throws(() => take('a'), TooManyRequests);
    take('b');
    assert.throws(() => take('b'), DependencyDown);
    release();
    release();
    assert.equal(openStreams(app), 2);
    take('b');
    assert.throws(() => take('c'), DependencyDown);
  });

  it('end when their key is revoked, and stay while that cannot be found out', async () => {
    const keys: Record<string, { scopes: string[] }> = { 'key-1': { scopes: ['events:read'] } };
    const known = knownKeys(keys);
    let away = false;
    const askedInVain = { times: 0 };
    const guarded = await startApi(endpoints, {
      authenticator: {
        ...known,
        verify: async (key, kind) => {
          if (away) {
            askedInVain.times++;
            throw new Error('the database is away');
          }
          return known.verify(key, kind);
        },
      },
    });
    try {
      serveSource(async function* (signal) {
        yield { data: 'one' };
        await untilAborted(signal);
      });
      const request = get(`${guarded.url}/team-events`, { headers: { 'x-api-key': 'key-1' }, agent: false });
      const [response]: IncomingMessage[] = await once(request, 'response');
      assert.ok(response);
      response.resume();
      await once(response, 'data');
      away = true;
      while (askedInVain.times < 2) await setImmediate();
      assert.equal(openStreams(guarded.app), 1);
      delete keys['key-1'];
      away = false;
      await once(response, 'end');
      await source.ended;
      assert.equal(source.signal?.aborted, true);
    } finally {
      await guarded.stop();
    }
  });

  it('HEAD opens no source', async () => {
    serveSource(() => numbers(1, 3));
    const request = get(`${api.url}/events`, { method: 'HEAD', agent: false });
    const [response] = await once(request, 'response');
    response.resume();
    await once(response, 'end');
    assert.equal(source.signal, undefined);
  });
});

describe('an event on the wire', () => {
  it('spreads lines of data and keeps other fields to one line', () => {
    assert.equal(
      formatEvent({ id: '1', event: 'a', data: 'x\ny\r\nz\rw' }),
      'id: 1\nevent: a\ndata: x\ndata: y\ndata: z\ndata: w\n\n',
    );
    assert.equal(formatEvent({ data: { text: 'a\nb' } }), 'data: {"text":"a\\nb"}\n\n');
    assert.equal(formatEvent({ data: '' }), 'data: \n\n');
    assert.throws(() => formatEvent({ id: '1\ndata: forged', data: '' }), TypeError);
    assert.throws(() => formatEvent({ event: 'a\rb', data: '' }), TypeError);
  });
});
