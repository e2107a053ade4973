import assert from 'node:assert/strict';
import { jaeger, tempo } from '@casebook/connectors';
import { createTraceSource, SourceError, type TelemetrySource } from '../../../src/features/sources/index.ts';
import { overHttp } from '../../../src/features/sources/transport.ts';
import { startJaeger, type TestJaeger } from '../../support/jaeger.ts';
import { startTempo, type TestTempo } from '../../support/tempo.ts';
import { waitUntil } from '../../support/wait-until.ts';

const call = () => ({ signal: new AbortController().signal });
const now = Math.floor(Date.now() / 1000);
const start = now - 600;
const window = { from: start, to: now };

interface Request {
  id: string;
  at: number;
  ms?: number;
  failed?: boolean;
}

/** A request to `web` that calls `cart`, as OTLP's JSON. */
function otlp({ id, at, ms = 20, failed = false }: Request) {
  const traceId = id.padEnd(32, '0');
  const nanoseconds = (seconds: number) => String(BigInt(Math.round(seconds * 1e6)) * 1000n);
  const span = (spanId: string, name: string, kind: number, from: number, durationMs: number) => ({
    traceId,
    spanId: `${traceId.slice(0, 15)}${spanId}`,
    name,
    kind,
    startTimeUnixNano: nanoseconds(from),
    endTimeUnixNano: nanoseconds(from + durationMs / 1000),
  });
  const of = (service: string, spans: object[]) => ({
    resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
    scopeSpans: [{ spans }],
  });
  const root = span('1', 'GET /cart', 2, at, ms + 10);
  const cart = {
    ...span('2', 'load', 2, at + 0.005, ms),
    parentSpanId: root.spanId,
    ...(failed && { status: { code: 2 } }),
  };
  return [of('web', [root]), of('cart', [cart])];
}

const requests: Request[] = [
  { id: 'a1', at: start + 10 },
  { id: 'b2', at: start + 300, ms: 400 },
  { id: 'c3', at: start + 500, failed: true },
];
const idOf = (id: string): string => id.padEnd(32, '0');

/** What both systems say; how they filter differs. */
function answersLikeAnySource(source: () => TelemetrySource) {
  it('lists services', async () => {
    assert.deepEqual(
      (await source().services!(call())).map(({ name }) => name),
      ['cart', 'web'],
    );
    assert.deepEqual(source().capabilities, ['services', 'traces']);
  });

  it('returns all spans of a trace, or undefined', async () => {
    const spans = await source().getTrace!(idOf('c3'), call());
    assert.deepEqual(spans, [
      {
        traceId: idOf('c3'),
        spanId: 'c300000000000001',
        service: 'web',
        operation: 'GET /cart',
        start: start + 500,
        durationMs: 30,
        kind: 'server',
      },
      {
        traceId: idOf('c3'),
        spanId: 'c300000000000002',
        parentId: 'c300000000000001',
        service: 'cart',
        operation: 'load',
        start: start + 500.005,
        durationMs: 20,
        kind: 'server',
        status: 'error',
      },
    ]);
    assert.equal(await source().getTrace!('f'.repeat(32), call()), undefined);
  });

  it('searches by service, operation, duration and status', async () => {
    const search = async (filters: object) =>
      (await source().searchTraces!({ ...window, limit: 10, ...filters }, call())).traces.map(({ traceId }) =>
        traceId.slice(0, 2),
      );
    assert.deepEqual(await search({}), ['a1', 'b2', 'c3']);
    assert.deepEqual(await search({ service: 'cart', operation: 'load' }), ['a1', 'b2', 'c3']);
    assert.deepEqual(await search({ service: 'cart', minDurationMs: 400 }), ['b2']);
    assert.deepEqual(await search({ service: 'cart', minDurationMs: 405 }), []);
    assert.deepEqual(await search({ minDurationMs: 405 }), ['b2'], 'the whole trace');
    assert.deepEqual(await search({ maxDurationMs: 100 }), ['a1', 'c3']);
    assert.deepEqual(await search({ status: 'error' }), ['c3']);
    assert.deepEqual(await search({ status: 'ok' }), ['a1', 'b2']);
    assert.deepEqual(await search({ service: 'web', status: 'ok', minDurationMs: 405 }), ['b2']);
    assert.deepEqual((await source().searchTraces!({ ...window, limit: 10, status: 'error' }, call())).traces, [
      {
        traceId: idOf('c3'),
        service: 'web',
        operation: 'GET /cart',
        start: start + 500,
        durationMs: 30,
        spans: 2,
        errors: 1,
      },
    ]);
  });
}

describe('Jaeger as a source', function () {
  // Building Jaeger, where there is none, takes minutes, once.
  this.timeout(45 * 60_000);
  let server: TestJaeger;
  let source: TelemetrySource;

  before(async () => {
    server = await startJaeger();
    source = createTraceSource({ kind: 'jaeger', transport: overHttp(jaeger, server.url) });
    const crowd = Array.from({ length: 100 }, (_, i): Request => ({ id: `d${i + 100}`, at: start - 2_000 + i * 10 }));
    await server.push({ resourceSpans: [...requests, ...crowd].flatMap(otlp) });
    await waitUntil(
      async () => {
        const { traces } = await source.searchTraces!({ from: start - 3_000, to: now, limit: 200 }, call());
        return traces.length === requests.length + crowd.length ? true : undefined;
      },
      { what: 'the pushed traces' },
    );
  });
  after(() => server?.stop());

  answersLikeAnySource(() => source);

  it('keeps to a window and a limit', async () => {
    const { traces, truncated } = await source.searchTraces!({ ...window, from: start + 200, limit: 1 }, call());
    assert.deepEqual(
      traces.map(({ traceId }) => traceId),
      [idOf('c3')],
      'the newest',
    );
    assert.equal(truncated, true);
  });

  it('samples whole traces, spread over the window', async () => {
    const early = { from: start - 2_000, to: start - 1_000 };
    const all = await source.sampleSpans!({ ...early, maxSpans: 10_000 }, call());
    assert.equal(all.spans.length, 200);
    assert.equal(all.sampled, false);
    const some = await source.sampleSpans!({ ...early, maxSpans: 80 }, call());
    assert.equal(some.sampled, true);
    assert.ok(some.spans.length > 40 && some.spans.length <= 80, `${some.spans.length} spans`);
    const perTrace = Map.groupBy(some.spans, ({ traceId }) => traceId);
    assert.ok([...perTrace.values()].every(({ length }) => length === 2));
    for (const half of [0, 500]) {
      const from = early.from + half;
      assert.ok(
        some.spans.some((span) => span.start >= from && span.start < from + 500),
        `nothing of the 500 s from ${half}`,
      );
    }
  });

  it('says why there is no answer', async () => {
    const gone = createTraceSource({ kind: 'jaeger', transport: overHttp(jaeger, 'http://127.0.0.1:9') });
    await assert.rejects(
      gone.searchTraces!({ ...window, limit: 1 }, call()),
      (error) => error instanceof SourceError && /Jaeger at 127\.0\.0\.1:9 did not answer/.test(error.message),
    );
  });
});

/** Against a server that plays Tempo by its documentation: see there for what has not been tried. */
describe('Tempo as a source', () => {
  let server: TestTempo;
  let source: TelemetrySource;

  before(async () => {
    const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
    // Tempo answers with protobuf's JSON: ids in base64, enums by name.
    const batches = (request: Request) =>
      otlp(request).map((batch) => ({
        ...batch,
        scopeSpans: [
          {
            spans: batch.scopeSpans[0]!.spans.map((span) => {
              const { spanId, parentSpanId } = span as { spanId: string; parentSpanId?: string };
              return {
                ...span,
                spanId: base64(spanId),
                ...(parentSpanId !== undefined && { parentSpanId: base64(parentSpanId) }),
                kind: 'SPAN_KIND_SERVER',
                ...('status' in span && { status: { code: 'STATUS_CODE_ERROR' } }),
              };
            }),
          },
        ],
      }));
    server = await startTempo(
      Object.fromEntries(requests.map((request) => [idOf(request.id), { batches: batches(request) }])),
    );
    source = createTraceSource({ kind: 'tempo', transport: overHttp(tempo, server.url) });
  });
  after(() => server?.stop());

  answersLikeAnySource(() => source);

  it('asks in TraceQL', async () => {
    const asked = async (filters: object) => {
      await source.searchTraces!({ ...window, limit: 10, ...filters }, call());
      return server.searches.at(-1)!.q;
    };
    assert.equal(await asked({}), '{}');
    assert.equal(
      await asked({ service: 'a "b"', operation: 'GET /', minDurationMs: 1.5, maxDurationMs: 20, status: 'ok' }),
      String.raw`{ resource.service.name = "a \"b\"" && name = "GET /" && duration >= 1500us && duration <= 20000us && status != error }`,
    );
    assert.equal(
      await asked({ minDurationMs: 200, status: 'error' }),
      '{ traceDuration >= 200000us && status = error }',
    );
    assert.equal(await asked({ status: 'ok' }), '{}', 'which cannot be asked of a whole trace');
  });

  it('samples traces of each part of the window once', async () => {
    const { spans } = await source.sampleSpans!({ ...window, maxSpans: 1_000 }, call());
    assert.equal(spans.length, 6);
    const ranges = server.searches.slice(-8).map(({ start: from, end }) => [Number(from) - start, Number(end) - start]);
    assert.deepEqual(ranges[0], [0, 75]);
    assert.deepEqual(ranges.at(-1), [525, 600]);
  });
});
