import assert from 'node:assert/strict';
import { SpanPairing } from '../../../satellite/graph/spans/pairing.ts';
import { CallRates, type Call } from '../../../satellite/graph/spans/rates.ts';
import type { BorderSpan } from '../../../satellite/otlp/index.ts';

const TRACE = '5b8efff798038103d269b633813fc60c';
const span = (
  kind: BorderSpan['kind'],
  service: string,
  spanId: string,
  rest: Partial<BorderSpan> = {},
): BorderSpan => ({
  service,
  kind,
  traceId: TRACE,
  spanId,
  parentSpanId: '',
  links: [],
  seconds: 0.1,
  failed: false,
  attributes: new Map(),
  ...rest,
});
const peer = (attributes: Record<string, string>): Partial<BorderSpan> => ({
  attributes: new Map(Object.entries(attributes)),
});

function pairing(maxWaiting = 100): { pair: SpanPairing; calls: Call[]; said: () => string[] } {
  const calls: Call[] = [];
  const pair = new SpanPairing({ waitMs: 10, maxWaiting, onCall: (call) => calls.push(call) });
  return { pair, calls, said: () => calls.map(({ caller, callee }) => `${caller}>${callee}`) };
}

describe('satellite graph: spans become calls', () => {
  const client = span('client', 'web', 'c', { seconds: 0.3 });
  const server = span('server', 'cart', 's', { parentSpanId: 'c', failed: true });

  for (const [name, order] of [
    ['caller first', [client, server]],
    ['callee first', [server, client]],
  ] as const) {
    it(`both sides of a call are one, ${name}: the caller's duration, an error of either`, () => {
      const { pair, calls } = pairing();
      for (const one of order) pair.take(one, 0);
      assert.deepEqual(calls, [{ caller: 'web', callee: 'cart', seconds: 0.3, failed: true }]);
    });
  }

  it('a duplicate span is one call', () => {
    const { pair, said } = pairing();
    for (const one of [client, client, server, server, client]) pair.take(one, 0);
    const database = span('client', 'cart', 'd', peer({ 'db.system.name': 'postgresql' }));
    for (const one of [database, database]) pair.take(one, 0);
    pair.expire(10);
    assert.deepEqual(said(), ['web>cart', 'cart>postgresql']);
    assert.equal(pair.size, 0);
  });

  it('spans of other traces, of other parents and beyond the wait are not paired', () => {
    const { pair, said } = pairing();
    pair.take(client, 0);
    pair.take(span('server', 'cart', 's', { parentSpanId: 'c', traceId: TRACE.replace('5', '6') }), 0);
    pair.take(span('server', 'cart', 't', { parentSpanId: 'x' }), 0);
    pair.expire(9);
    assert.equal(pair.size, 3);
    pair.expire(10);
    pair.take(server, 11);
    assert.deepEqual(said(), []);
  });

  it('a caller that stays alone called a virtual node, when its span names one', () => {
    const { pair, said } = pairing();
    pair.take(span('client', 'web', 'a', peer({ 'server.address': 'api.example.com' })), 0);
    pair.take(span('client', 'web', 'b'), 0);
    pair.take(span('producer', 'web', 'd', peer({ 'messaging.system': 'kafka' })), 0);
    assert.deepEqual(said(), []);
    pair.expire(10);
    assert.deepEqual(said(), ['web>api.example.com', 'web>kafka']);
  });

  it('names the virtual node after the peer, the host, the database, the messaging system', () => {
    const virtual = (attributes: Record<string, string>): string | undefined => {
      const { pair, calls } = pairing();
      pair.take(span('client', 'web', 'a', peer(attributes)), 0);
      pair.expire(10);
      return calls[0]?.callee;
    };
    const database = { 'db.system.name': 'postgresql', 'db.namespace': 'orders' };
    assert.equal(virtual({ 'peer.service': 'orders-db', 'server.address': 'db1', ...database }), 'orders-db');
    assert.equal(virtual({ 'server.address': 'db1', ...database }), 'db1');
    assert.equal(virtual({ 'server.address': '10.0.0.7', ...database }), 'postgresql/orders');
    assert.equal(virtual({ 'server.address': 'localhost', 'db.system': 'redis' }), 'redis');
    assert.equal(virtual({ 'messaging.system': 'kafka' }), 'kafka');
    assert.equal(virtual({ 'net.peer.name': '10.0.0.7' }), '10.0.0.7');
    assert.equal(virtual({ 'server.address': '127.0.0.1' }), undefined);
  });

  it('each consumer of a message is called, by parent or by link, and once', () => {
    const { pair, calls } = pairing();
    const message = TRACE + 'p'.padEnd(16, '0');
    pair.take(span('producer', 'shop', 'p'.padEnd(16, '0'), { seconds: 0.001 }), 0);
    pair.take(span('consumer', 'mail', 'm', { parentSpanId: 'p'.padEnd(16, '0'), links: [message], seconds: 2 }), 0);
    pair.take(span('consumer', 'stock', 'n', { traceId: TRACE.replace('5', '6'), links: [message], seconds: 3 }), 0);
    assert.deepEqual(
      calls.map(({ callee, seconds }) => [callee, seconds]),
      [
        ['mail', 2],
        ['stock', 3],
      ],
    );
  });

  it('what waits is bounded: the oldest goes, and no virtual node is guessed from it', () => {
    const { pair, said } = pairing(2);
    for (const id of ['a', 'b', 'c']) pair.take(span('client', 'web', id, peer({ 'server.address': id })), 0);
    assert.deepEqual([pair.size, pair.dropped], [2, 1]);
    pair.expire(10);
    assert.deepEqual(said(), ['web>b', 'web>c']);
  });

  it('what waits is bounded also where many say that one span called them', () => {
    const { pair } = pairing(10);
    const called = (parent: number, n: number): void =>
      pair.take(span('server', 'cart', `${parent}-${n}`, { parentSpanId: `p${parent}` }), 0);
    for (let parent = 0; parent < 5; parent += 1) for (let n = 0; n < 100; n += 1) called(parent, n);
    assert.deepEqual([pair.size, pair.dropped], [1, 24]);
    pair.expire(10);
    for (let n = 0; n < 20; n += 1) called(9, n);
    assert.equal(pair.dropped, 24, 'what has gone takes no room');
  });
});

describe('satellite graph: rates of calls', () => {
  const call = (callee: string, seconds = 0.1, failed = false): Call => ({ caller: 'web', callee, seconds, failed });

  it('counts calls a second, failures and quantiles over the window, whatever the clock began at', () => {
    const rates = new CallRates(60, 10, 1_000_000);
    for (let second = 0; second < 300; second += 1) {
      for (let at = 0; at < 4; at += 1) {
        rates.count(call('cart', at === 0 ? 2 : 0.05, at === 0 && second % 2 === 0), 1_000_000 + second * 1_000);
      }
    }
    const [edge, ...others] = rates.edges(1_300_000);
    assert.equal(others.length, 0);
    assert.ok(Math.abs((edge?.callsPerSecond ?? 0) - 4) < 0.2, `${edge?.callsPerSecond}`);
    assert.ok(Math.abs((edge?.errorRatio ?? 0) - 0.125) < 0.01);
    assert.ok(Math.abs((edge?.p50Seconds ?? 0) / 0.05 - 1) < 0.045);
    assert.ok(Math.abs((edge?.p95Seconds ?? 0) / 2 - 1) < 0.045);
    assert.equal(edge?.seenAt, 1_299_000);
  });

  it('right after the start the window is as long as the time since', () => {
    const rates = new CallRates(300, 10, 0);
    for (let at = 0; at < 40; at += 1) rates.count(call('cart'), at * 500);
    assert.equal(rates.edges(20_000)[0]?.callsPerSecond, 2);
  });

  it('forgets edges without a call in the window, and only those', () => {
    const rates = new CallRates(60, 10, 0);
    rates.count(call('cart'), 0);
    rates.count(call('pay'), 30_000);
    assert.equal(rates.edges(59_999).length, 2);
    assert.deepEqual(
      rates.edges(60_000).map(({ callee }) => callee),
      ['pay'],
    );
    assert.deepEqual(rates.edges(1_000_000), []);
  });

  it('has no more edges than allowed', () => {
    const rates = new CallRates(60, 2, 0);
    for (const callee of ['a', 'b', 'c', 'a', 'c']) rates.count(call(callee), 0);
    assert.deepEqual([rates.edges(0).length, rates.dropped], [2, 2]);
  });

  it('takes durations of nothing and of days', () => {
    const rates = new CallRates(60, 2, 0);
    for (const seconds of [0, 1e9]) rates.count(call('cart', seconds), 0);
    const [edge] = rates.edges(0);
    assert.ok((edge?.p50Seconds ?? 1) < 2e-6 && (edge?.p95Seconds ?? 0) > 9e4);
  });
});
