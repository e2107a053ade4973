import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { MAX_EDGES_PER_MESSAGE } from '@casebook/wire';
import type { MergedEdge } from '../../../satellite/graph/live-graph.ts';
import { GraphPublisher } from '../../../satellite/graph/publisher.ts';
import { ReceivingEnd } from './receiving-end.ts';

const edge = (caller: string, figures: Partial<MergedEdge> = {}): MergedEdge => ({
  key: caller,
  caller,
  callee: 'db',
  sources: ['spans'],
  seenAt: 0,
  stale: false,
  ...figures,
});
const publisher = (): GraphPublisher => new GraphPublisher(0.1, randomUUID);

describe('satellite graph: messages', () => {
  it('an empty graph is a snapshot of one message, and nothing new a delta of one', () => {
    const from = publisher();
    const messages = [...from.snapshot([], 0), ...from.delta([], 0), ...from.delta([], 0)];
    assert.deepEqual(
      messages.map(({ kind, seq, last, edges, gone }) => ({ kind, seq, last, edges, gone })),
      ['snapshot', 'delta', 'delta'].map((kind, seq) => ({ kind, seq, last: true, edges: [], gone: [] })),
    );
  });

  it('cuts by number of edges and by bytes, of edges and of what is gone', () => {
    const plain = Array.from({ length: 2 * MAX_EDGES_PER_MESSAGE + 1 }, (_, index) => edge(`s${index}`));
    const wide = Array.from({ length: 3_000 }, (_, index) => edge(`${index}`.padEnd(200, '漢')));
    const end = new ReceivingEnd();
    const from = publisher();
    const snapshot = from.snapshot([...plain, ...wide], 0);
    for (const message of snapshot) end.take(message);
    assert.equal(end.graph.size, plain.length + wide.length);
    assert.deepEqual(
      snapshot.slice(0, 2).map(({ edges }) => edges.length),
      [2_000, 2_000],
    );
    const largest = Math.max(...snapshot.map((message) => Buffer.byteLength(JSON.stringify(message))));
    assert.ok(largest < 701_000 && largest > 600_000, `${largest}`);
    assert.deepEqual(
      snapshot.map(({ last, seq }) => [last, seq]),
      snapshot.map((_, index) => [index === snapshot.length - 1, index]),
    );
    const delta = from.delta([edge('new')], 0);
    assert.ok(delta.length > 3);
    for (const message of delta) end.take(message);
    assert.deepEqual([...end.graph.keys()], ['new>db']);
    assert.equal(delta[0]?.seq, snapshot.length);
  });

  it('sends again what has changed by more than the share, also when it drifts there slowly', () => {
    const from = publisher();
    from.snapshot([edge('a', { callsPerSecond: 100, errorRatio: 0.02, p95Seconds: 1, p50Seconds: 1 })], 0);
    const changes = (figures: Partial<MergedEdge>): number =>
      from.delta([edge('a', { callsPerSecond: 100, errorRatio: 0.02, p95Seconds: 1, ...figures })], 0)[0]?.edges
        .length ?? 0;
    assert.equal(changes({ callsPerSecond: 109 }), 0);
    assert.equal(changes({ callsPerSecond: 111 }), 1);
    assert.equal(changes({}), 0);
    assert.equal(changes({ callsPerSecond: 99 }), 1);
    assert.equal(changes({ errorRatio: 0.0215 }), 0);
    assert.equal(changes({ errorRatio: 0.023 }), 1);
    assert.equal(changes({ p95Seconds: 1.2 }), 1);
    assert.equal(changes({ p95Seconds: undefined }), 1);
    assert.equal(changes({ stale: true }), 1);
    assert.equal(changes({}), 1);
    assert.equal(changes({ sources: ['istio', 'spans'] }), 1);
  });

  it('a ratio that was 0 is news from one in a thousand', () => {
    const from = publisher();
    from.snapshot([edge('a', { errorRatio: 0 })], 0);
    assert.equal(from.delta([edge('a', { errorRatio: 0.0009 })], 0)[0]?.edges.length, 0);
    assert.equal(from.delta([edge('a', { errorRatio: 0.001 })], 0)[0]?.edges.length, 1);
  });

  it('says ages, and begins a new epoch with each snapshot', () => {
    const from = publisher();
    const [first] = from.snapshot([edge('a', { seenAt: 1_000 })], 1_250.4);
    assert.equal(first?.edges[0]?.seenAgoMs, 250);
    const [second] = from.snapshot([], 0);
    assert.notEqual(first.epoch, second?.epoch);
    assert.equal(second?.seq, 0);
  });
});
