import assert from 'node:assert/strict';
import { jaeger, type Connector } from '@casebook/connectors';
import { waitUntil } from '../../support/wait-until.ts';
import { startJaeger, type TestJaeger } from '../../support/jaeger.ts';
import { ask, check, checkOthers, connect, failing, timeIsOver } from './connect.ts';

interface Trace {
  traceID: string;
  spans: { operationName: string; duration: number }[];
}

const now = Math.floor(Date.now() / 1000);
const range = { start: now - 600, end: now };

/** One request: a service that calls another, as OTLP's JSON. */
function request(traceId: string, at: number, seconds: number, failed: boolean): unknown {
  const nanoseconds = (time: number) => String(BigInt(Math.round(time * 1000)) * 1_000_000n);
  const span = (spanId: string, name: string, parentSpanId?: string) => ({
    traceId,
    spanId,
    parentSpanId,
    name,
    kind: parentSpanId === undefined ? 2 : 3,
    startTimeUnixNano: nanoseconds(at),
    endTimeUnixNano: nanoseconds(at + seconds),
    status: { code: failed ? 2 : 1 },
  });
  const of = (service: string, spans: unknown[]) => ({
    resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
    scopeSpans: [{ spans }],
  });
  const [outer, inner] = [`${traceId.slice(0, 15)}1`, `${traceId.slice(0, 15)}2`];
  return {
    resourceSpans: [
      of('web', [span(outer, 'GET /cart')]),
      of('team/cart', [{ ...span(inner, 'load', outer), kind: 2 }]),
    ],
  };
}

describe('satellite: Jaeger', () => {
  let server: TestJaeger;
  let connector: Connector;
  const [fast, slow] = ['a'.repeat(32), 'b'.repeat(32)];

  before(async function () {
    // Building Jaeger, where there is none, takes minutes, once.
    this.timeout(45 * 60_000);
    server = await startJaeger();
    connector = connect(jaeger, { url: server.url });
    await check(connector);
    await server.push(request(fast, now - 300, 0.05, false));
    await server.push(request(slow, now - 200, 2, true));
    await waitUntil(async () => ((await traces({})).length === 2 ? true : undefined), {
      what: 'the pushed traces',
    });
  });
  after(async () => {
    await connector?.close();
    await server?.stop();
  });

  const traces = async (parameters: Record<string, unknown>) => {
    const found = (await ask(connector, 'search', { service: 'web', ...range, ...parameters })) as Trace[];
    return found.map(({ traceID }) => traceID).sort();
  };

  it('is healthy, and distinguished from other systems', async () => {
    await check(connector);
    await checkOthers(jaeger, server.url);
  });

  it('knows services and their operations', async () => {
    assert.deepEqual(((await ask(connector, 'services', {})) as string[]).sort(), ['team/cart', 'web']);
    assert.deepEqual(await ask(connector, 'operations', { service: 'team/cart' }), ['load']);
  });

  it('finds traces', async () => {
    assert.deepEqual(await traces({}), [fast, slow]);
    assert.deepEqual(await traces({ service: 'team/cart', operation: 'load' }), [fast, slow]);
    assert.deepEqual(await traces({ operation: 'load' }), []);
    assert.deepEqual(await traces({ tags: { error: 'true' } }), [slow]);
    assert.deepEqual(await traces({ min_duration_ms: 50.5 }), [slow]);
    assert.deepEqual(await traces({ end: now - 250 }), [fast]);
    assert.equal((await traces({ limit: 1 })).length, 1);
  });

  it('returns a whole trace, and which service calls which', async () => {
    const [trace] = (await ask(connector, 'trace', { trace_id: slow })) as Trace[];
    assert.deepEqual(trace?.spans.map(({ operationName, duration }) => [operationName, duration]).sort(), [
      ['GET /cart', 2_000_000],
      ['load', 2_000_000],
    ]);
    const calls = (await ask(connector, 'dependencies', { end: now, lookback_seconds: 600 })) as object[];
    assert.deepEqual(
      calls.map((call) => ({ ...call, source: undefined })),
      [{ parent: 'web', child: 'team/cart', callCount: 2, source: undefined }],
    );
  });

  it('passes on what Jaeger says, and keeps limits', async () => {
    const missing = ask(connector, 'trace', { trace_id: 'c'.repeat(32) });
    await assert.rejects(missing, failing('not_found', /Jaeger at .* 404: trace not found/));
    await assert.rejects(ask(connector, 'trace', { trace_id: '../services' }), /hexadecimal/);
    await assert.rejects(ask(connector, 'operations', { service: '..' }), failing('bad_request', /not a name/));
    await assert.rejects(traces({ limit: 501 }), /500/);
    await assert.rejects(traces({ end: 0 }), failing('bad_request', /end is before start/));
    const whole = { service: 'web', ...range };
    await assert.rejects(ask(connector, 'search', whole, { maxBytes: 100 }), failing('too_large', /100 bytes/));
    await assert.rejects(ask(connector, 'services', {}, { signal: timeIsOver() }), failing('timeout', /in time/));
  });
});
