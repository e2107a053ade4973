import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { callGraph, serviceIn } from '../../../../src/features/satellites/graph/query/call-graph.ts';
import { impactOf, loadOf } from '../../../../src/features/satellites/graph/query/impact.ts';
import { applyChanges, emptyTable, type EdgeChange } from '../../../../src/features/satellites/graph/query/table.ts';
import { aTable, graphOf } from './support.ts';

const near = (found: number, expected: number, tolerance = 1e-9): void =>
  assert.ok(Math.abs(found - expected) <= tolerance, `${found} is not ${expected}`);

function shares(failed: string, ...edges: string[]): Record<string, number> {
  const graph = graphOf(...edges);
  const { share } = impactOf(graph, loadOf(graph), serviceIn(graph, failed)!);
  return Object.fromEntries(graph.names.map((name, id) => [name, share[id]!]));
}

/**
 * The formula, word by word, round by round from below; undefined where that takes too many rounds: in circles that
 * pass nearly everything on, the shares creep for longer than anybody would wait for.
 */
function leastSolution(edges: readonly EdgeChange[], failed: string): Map<string, number> | undefined {
  const others = edges.filter(({ caller, callee }) => caller !== callee);
  const sum = (rates: number[]): number => rates.reduce((total, rate) => total + rate, 0);
  const throughput = (name: string): number => {
    const known = others.filter(({ callsPerSecond }) => !Number.isNaN(callsPerSecond));
    const into = known.filter(({ callee }) => callee === name).map(({ callsPerSecond }) => callsPerSecond);
    if (into.length > 0) return sum(into);
    return Math.max(...known.filter(({ caller }) => caller === name).map(({ callsPerSecond }) => callsPerSecond));
  };
  const weight = ({ caller, callsPerSecond: rate }: EdgeChange): number =>
    Number.isNaN(rate) ? 1 : rate === 0 ? 0 : Math.min(1, rate / throughput(caller));
  const weighed = Map.groupBy(
    others.map((edge) => ({ ...edge, weight: weight(edge) })),
    ({ caller }) => caller,
  );
  weighed.delete(failed);
  let share = new Map([[failed, 1]]);
  for (let round = 0; round < 2_000; round++) {
    const next = new Map([[failed, 1]]);
    let change = 0;
    for (const [caller, calls] of weighed) {
      const unaffected = calls.reduce(
        (product, edge) => product * (1 - edge.weight * (share.get(edge.callee) ?? 0)),
        1,
      );
      next.set(caller, 1 - unaffected);
      change = Math.max(change, 1 - unaffected - (share.get(caller) ?? 0));
    }
    share = next;
    if (change < 1e-14) return share;
  }
  return undefined;
}

describe('the impact estimate', () => {
  it('depends on the part of the work that needs the calls', () => {
    const found = shares('db', 'web>shop@10', 'shop>cart@5', 'shop>pay@1', 'cart>db@5', 'pay>db@4');
    near(found['cart']!, 1);
    near(found['pay']!, 1);
    // Half of the work needs the cart, a tenth needs to pay.
    near(found['shop']!, 1 - 0.5 * 0.9);
    near(found['web']!, 1 - 0.5 * 0.9);
  });

  it('measures a service that nobody calls by its most frequent call', () => {
    const found = shares('ads', 'web>shop@10', 'web>ads@2', 'web>log@4');
    near(found['web']!, 0.2);
  });

  it('takes calls of unknown rate as needed by all, and those without traffic by none', () => {
    assert.deepEqual(shares('db', 'web>db', 'job>db@0', 'job>x@3'), { web: 1, db: 1, job: 0, x: 0 });
  });

  it('does not count calls of a service to itself', () => {
    near(shares('db', 'web>shop@10', 'shop>shop@1000', 'shop>db@5')['shop']!, 0.5);
  });

  it('rises in circles, and ends', () => {
    // p = 1 - (1 - 0.5)(1 - 0.5 p) for both: two thirds.
    const found = shares('db', 'in>a@5', 'in>b@5', 'a>b@5', 'b>a@5', 'a>db@5', 'b>db@5');
    near(found['a']!, 2 / 3, 1e-4);
    near(found['b']!, 2 / 3, 1e-4);
  });

  it('is a solution of the equations, at most the least one, and equal to it where there are no circles', () => {
    fc.assert(
      fc.property(aTable, fc.boolean(), (all, acyclic) => {
        const edges = acyclic ? all.filter(({ caller, callee }) => caller < callee) : all;
        const graph = callGraph([applyChanges(emptyTable(), edges)]);
        const failed = edges[0]?.callee;
        if (failed === undefined) return;
        const { share, settled } = impactOf(graph, loadOf(graph), graph.ids.get(failed)!);
        // Circles that pass nearly everything on may be given up, and only they.
        if (!settled) assert.ok(!acyclic);
        const least = leastSolution(edges, failed);
        assert.ok(least !== undefined || !acyclic);
        for (const [name, id] of least === undefined ? [] : graph.ids) {
          const expected = least?.get(name) ?? 0;
          assert.ok(share[id]! <= expected + 1e-9 && share[id]! >= 0, `${name}: ${share[id]} > ${expected}`);
          if (acyclic) near(share[id]!, expected, 1e-4);
          // What is affected only a little is found as well: by anybody who reaches it.
          if (expected > 0.01) assert.ok(share[id]! > 0, name);
        }
        const { weights } = loadOf(graph);
        for (const [, id] of settled ? graph.ids : []) {
          if (graph.names[id] === failed) continue;
          let unaffected = 1;
          for (let at = graph.offsets[id]!; at < graph.offsets[id + 1]!; at++)
            unaffected *= 1 - weights[at]! * share[graph.callees[at]!]!;
          near(share[id]!, 1 - unaffected, 1.1e-6);
        }
      }),
      { numRuns: 300 },
    );
  });
});
