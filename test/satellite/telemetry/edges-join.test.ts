import assert from 'node:assert/strict';
import { joinEdges } from '../../../packages/connectors/prometheus/edges/join.ts';

const sample = (caller: string, callee: string, value: number, reporter?: string) => ({
  labels: { caller, callee, ...(reporter !== undefined && { reporter }) },
  value,
});
const nothing = { failures: [], p50: [], p95: [] };

describe('satellite: joining the answers about edges', () => {
  it('gives an edge once, all of it as its best reporter saw it', () => {
    const reporters = ['source', 'destination', 'waypoint'];
    for (const order of [reporters, reporters.toReversed()]) {
      const calls = order.map((reporter) => sample('a', 'b', reporter.length, reporter));
      const failures = [sample('a', 'b', 1, 'destination'), sample('a', 'b', 6, 'source')];
      const p95 = [sample('a', 'b', 3, 'source')];
      const [edge, ...others] = joinEdges('istio', { calls, failures, p50: [], p95 });
      assert.deepEqual(others, []);
      assert.deepEqual([edge?.callsPerSecond, edge?.errorRatio, edge?.p95Seconds], [11, 1 / 11, undefined]);
    }
  });

  it('leaves out what is no edge', () => {
    const calls = [
      sample('a', 'unknown', 1),
      sample('', 'b', 1),
      sample('a', 'b'.repeat(201), 1),
      sample('a', 'b', 0),
      sample('a', 'c', Number.NaN),
      sample('a', 'd', Number.POSITIVE_INFINITY),
      { labels: { callee: 'e' }, value: 1 },
    ];
    assert.deepEqual(joinEdges('linkerd', { calls, ...nothing }), []);
  });

  it('keeps numbers that mean something only', () => {
    const calls = [sample('a', 'b', 2)];
    const p50 = [sample('a', 'b', Number.NaN)];
    const p95 = [sample('a', 'b', Number.POSITIVE_INFINITY)];
    const [edge] = joinEdges('linkerd', { calls, failures: [sample('a', 'b', 2.01)], p50, p95 });
    assert.deepEqual([edge?.errorRatio, edge?.p50Seconds, edge?.p95Seconds], [1, undefined, undefined]);
  });

  it('does not mistake one pair of names for another', () => {
    const edges = joinEdges('linkerd', { calls: [sample('a","b', 'c', 1), sample('a', 'b","c', 2)], ...nothing });
    assert.equal(edges.length, 2);
  });
});
