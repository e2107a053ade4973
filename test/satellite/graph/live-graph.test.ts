import assert from 'node:assert/strict';
import type { ObservedEdge } from '@casebook/connectors';
import { LiveGraph } from '../../../satellite/graph/live-graph.ts';

const graph = (maxEdges = 100): LiveGraph => new LiveGraph({ staleAfterMs: 120, expireAfterMs: 900, maxEdges });
const calls = (caller: string, callee: string, callsPerSecond?: number): ObservedEdge => ({
  caller,
  callee,
  source: 'service-graph',
  callsPerSecond,
});
const names = (live: LiveGraph, now = 0): string[] =>
  [...live.merged(now)].map((edge) => `${edge.caller}>${edge.callee}`);

describe('satellite graph: merging', () => {
  it('an edge grows stale, then goes, and is fresh again after a call', () => {
    const live = graph();
    live.observe('a', [calls('web', 'cart', 3)], 0);
    const states = [119, 120, 899, 900].map((now) => {
      live.advance(now);
      return [...live.merged(now)].map(({ stale }) => stale);
    });
    assert.deepEqual(states, [[false], [true], [true], []]);
    live.observe('a', [calls('web', 'cart', 3)], 1_000);
    assert.deepEqual(
      [...live.merged(1_000)].map(({ stale }) => stale),
      [false],
    );
  });

  it('an edge without calls is not seen: it keeps its last figures and grows old', () => {
    const live = graph();
    live.observe('a', [calls('web', 'cart', 3)], 0);
    live.observe('a', [calls('web', 'cart', 0), calls('web', 'pay', 0)], 119);
    const [edge, ...others] = live.merged(121);
    assert.equal(others.length, 0);
    assert.deepEqual([edge?.callsPerSecond, edge?.stale, edge?.seenAt], [3, true, 0]);
  });

  it('takes the figures of the source that sees the most calls, and names all', () => {
    const live = graph();
    live.observe('a', [{ ...calls('web', 'cart', 3), errorRatio: 0.5 }], 0);
    live.observe('b', [{ ...calls('web', 'cart', 9), source: 'istio', p95Seconds: 2 }], 10);
    live.observe('spans', [{ ...calls('web', 'cart'), source: 'spans' }], 20);
    const [edge] = live.merged(20);
    assert.deepEqual(edge?.sources, ['istio', 'service-graph', 'spans']);
    assert.deepEqual([edge.callsPerSecond, edge.p95Seconds, edge.errorRatio, edge.seenAt], [9, 2, undefined, 20]);
  });

  it('a source that has fallen silent does not speak for one that has not, and is no source in the end', () => {
    const live = graph();
    live.observe('a', [{ ...calls('web', 'cart', 900), source: 'istio' }], 0);
    live.observe('b', [calls('web', 'cart', 3)], 110);
    const [edge] = live.merged(125);
    assert.deepEqual([edge?.callsPerSecond, edge?.stale, edge?.sources.length], [3, false, 2]);
    live.observe('b', [calls('web', 'cart', 3)], 890);
    live.advance(901);
    assert.deepEqual(
      [...live.merged(901)].map(({ sources }) => sources),
      [['service-graph']],
    );
  });

  it('cleans names, clips them and leaves out what has none; keeps services that call themselves', () => {
    const live = graph();
    const long = `${'x'.repeat(199)}😀`;
    const edges = [
      calls(' we\u0000b\n', 'cart'),
      calls('', 'cart'),
      calls('web', '\u0007 '),
      calls('web', 'web'),
      calls(long, 'z'),
      calls('é'.repeat(5_000), '\uD800'),
    ];
    live.observe('a', edges, 0);
    assert.deepEqual(names(live), ['web>cart', 'web>web', `${'x'.repeat(199)}>z`, `${'é'.repeat(200)}>\uFFFD`]);
  });

  it('leaves out invalid figures', () => {
    const live = graph();
    const odd = { callsPerSecond: Number.NaN, errorRatio: 1.2, p50Seconds: Number.POSITIVE_INFINITY, p95Seconds: -1 };
    live.observe('a', [{ ...calls('web', 'cart'), ...odd }], 0);
    const [edge] = live.merged(0);
    const { callsPerSecond, errorRatio, p50Seconds, p95Seconds } = edge ?? {};
    assert.deepEqual([callsPerSecond, errorRatio, p50Seconds, p95Seconds], [undefined, 1, undefined, undefined]);
  });

  it('of more edges than allowed drops those that are called least, and the newest of equals', () => {
    const live = graph(3);
    live.observe(
      'a',
      [calls('a', 'b', 1), calls('a', 'c', 5), calls('a', 'd'), calls('a', 'e', 1), calls('a', 'f', 7)],
      0,
    );
    assert.equal(live.advance(0), 2);
    assert.deepEqual(names(live), ['a>b', 'a>c', 'a>f']);
    assert.equal(live.advance(1), 0);
  });
});
