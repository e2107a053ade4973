import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { callGraph, serviceIn, type CallGraph } from '../../../../src/features/satellites/graph/query/call-graph.ts';
import { cycleGroups, cycleIn } from '../../../../src/features/satellites/graph/query/cycles.ts';
import { nearNames } from '../../../../src/features/satellites/graph/query/near-names.ts';
import {
  applyChanges,
  emptyTable,
  rowAt,
  type EdgeChange,
  type EdgeTable,
} from '../../../../src/features/satellites/graph/query/table.ts';
import { pathTo, walk } from '../../../../src/features/satellites/graph/query/walk.ts';
import { aTable, change, graphOf, pairOf, tableOf } from './support.ts';

const table = (changes: readonly EdgeChange[]): EdgeTable => applyChanges(emptyTable(), changes);

function rowsOf(of: EdgeTable): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (let caller = 0; caller < of.offsets.length - 1; caller++) {
    for (let at = of.offsets[caller]!; at < of.offsets[caller + 1]!; at++) {
      const row = rowAt(of, caller, at);
      found.set(pairOf(row), { ...row, gone: false });
    }
  }
  return found;
}

const cyclesIn = (graph: CallGraph, isMember?: Uint8Array): (readonly string[])[] =>
  cycleGroups(graph, isMember).map((group) => cycleIn(graph, group));

describe('the table of a satellite’s edges', () => {
  it('is what the changes come to, and leaves the tables before it as they are', () => {
    const changes = fc.tuple(aTable, fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }));
    fc.assert(
      fc.property(fc.array(changes, { maxLength: 8 }), (steps) => {
        const expected = new Map<string, unknown>();
        let current = emptyTable();
        for (const [edges, gone] of steps) {
          const before = rowsOf(current);
          const step = edges.map((edge, index) => ({ ...edge, gone: gone[index]! }));
          const next = applyChanges(current, step);
          assert.deepEqual(rowsOf(current), before);
          for (const each of step) {
            if (each.gone) expected.delete(pairOf(each));
            else expected.set(pairOf(each), each);
          }
          assert.deepEqual(rowsOf(next), expected);
          assert.equal(next.size, expected.size);
          const named = next.names.list.filter((_, id) => next.isNamed[id] === 1);
          const inEdges = [...rowsOf(next).keys()].flatMap((pair) => JSON.parse(pair) as string[]);
          assert.deepEqual(new Set(named), new Set(inEdges));
          current = next;
        }
      }),
      { numRuns: 200 },
    );
  });

  it('forgets names when most of them are of services long gone', () => {
    let current = tableOf('a>b');
    for (let round = 0; round < 30; round++) {
      const names = Array.from({ length: 100 }, (_, index) => `job-${round}-${index}>b`);
      current = applyChanges(
        current,
        names.map((text) => change(text)),
      );
      current = applyChanges(
        current,
        names.map((text) => change(text, true)),
      );
    }
    assert.deepEqual([...rowsOf(current).keys()], [pairOf({ caller: 'a', callee: 'b' })]);
    assert.ok(current.names.list.length < 1_200, `${current.names.list.length} names`);
  });
});

describe('the union of satellites’ edges', () => {
  it('has each edge once, with the highest rate, stale when all call it so', () => {
    fc.assert(
      fc.property(fc.array(aTable, { minLength: 1, maxLength: 4 }), (tables) => {
        const expected = new Map<string, { rate: number; stale: boolean }>();
        for (const { callsPerSecond, stale, ...edge } of tables.flat()) {
          const known = expected.get(pairOf(edge));
          const rates = [known?.rate ?? Number.NaN, callsPerSecond].filter((rate) => !Number.isNaN(rate));
          const rate = rates.length > 0 ? Math.max(...rates) : Number.NaN;
          expected.set(pairOf(edge), { rate, stale: stale && (known?.stale ?? true) });
        }
        const graph = callGraph(tables.map(table));
        const found = new Map<string, { rate: number; stale: boolean }>();
        for (let caller = 0; caller < graph.services; caller++) {
          for (let at = graph.offsets[caller]!; at < graph.offsets[caller + 1]!; at++) {
            const pair = pairOf({ caller: graph.names[caller]!, callee: graph.names[graph.callees[at]!]! });
            assert.ok(!found.has(pair));
            found.set(pair, { rate: graph.rates[at]!, stale: graph.stale[at] === 1 });
          }
        }
        assert.deepEqual(found, expected);
        assert.equal(graph.edges, expected.size);
        // The same edges from the other end.
        for (let callee = 0; callee < graph.services; callee++) {
          for (let at = graph.callerOffsets[callee]!; at < graph.callerOffsets[callee + 1]!; at++) {
            const edge = graph.callerEdges[at]!;
            assert.equal(graph.callees[edge], callee);
            const caller = graph.callers[at]!;
            assert.ok(graph.offsets[caller]! <= edge && edge < graph.offsets[caller + 1]!);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('walks', () => {
  it('reach what a naive search reaches, at the same depth, over a shortest way with the fewest stale edges', () => {
    fc.assert(
      fc.property(
        aTable,
        fc.boolean(),
        fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
        (edges, along, depth) => {
          const graph = callGraph([table(edges)]);
          const from = edges[0]?.caller;
          if (from === undefined) return;
          const start = serviceIn(graph, from)!;
          const reached = walk(graph, start, along ? 'callees' : 'callers', depth);
          const next = edges.map(({ caller, callee, stale }) =>
            along ? { from: caller, to: callee, stale } : { from: callee, to: caller, stale },
          );
          // By rounds: the least (depth, stale edges) of each service.
          const best = new Map<string, { depth: number; stale: number }>([[from, { depth: 0, stale: 0 }]]);
          for (let round = 1; round <= (depth ?? 20); round++) {
            for (const each of next) {
              const at = best.get(each.from);
              if (at?.depth !== round - 1) continue;
              const stale = at.stale + (each.stale ? 1 : 0);
              const known = best.get(each.to);
              if (!known || (known.depth === round && known.stale > stale)) best.set(each.to, { depth: round, stale });
            }
          }
          best.delete(from);
          const found = [...reached.order].map(
            (id) => [graph.names[id]!, { depth: reached.depth[id]!, stale: reached.staleEdges[id]! }] as const,
          );
          assert.deepEqual(new Map(found), best);
          for (const [index, id] of reached.order.entries()) {
            if (index > 0) assert.ok(reached.depth[reached.order[index - 1]!]! <= reached.depth[id]!);
            const path = pathTo(graph, reached, id);
            assert.equal(path.length, reached.depth[id]! + 1);
            assert.deepEqual([path[0], path.at(-1)], [from, graph.names[id]]);
            const steps = path
              .slice(1)
              .map((to, step) => next.find((each) => each.from === path[step] && each.to === to));
            assert.ok(steps.every((step) => step !== undefined));
            assert.equal(steps.filter((step) => step?.stale).length, reached.staleEdges[id]);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('do not depend on the order in which edges came', () => {
    fc.assert(
      fc.property(
        aTable.chain((edges) => fc.tuple(fc.constant(edges), fc.shuffledSubarray(edges, { minLength: edges.length }))),
        ([edges, shuffled]) => {
          const ways = (of: EdgeChange[]): unknown => {
            const graph = callGraph([table(of)]);
            const start = graph.ids.get(edges[0]?.caller ?? '');
            if (start === undefined) return [];
            const reached = walk(graph, start, 'callees');
            return [...reached.order].map((id) => pathTo(graph, reached, id).join()).sort();
          };
          assert.deepEqual(ways(edges), ways(shuffled));
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('cycles', () => {
  it('are given one for each group of services, in call order, from the first by name', () => {
    const shop = graphOf('web>checkout', 'checkout>pay', 'pay>bank', 'bank>checkout', 'db>db', 'web>db');
    assert.deepEqual(cyclesIn(shop), [['bank', 'checkout', 'pay'], ['db']]);
    const others = new Uint8Array(shop.services).fill(1);
    others[shop.ids.get('pay')!] = 0;
    assert.deepEqual(cyclesIn(shop, others), [['db']]);
    assert.deepEqual(cyclesIn(graphOf('a>b', 'b>c', 'a>c')), []);
  });

  it('avoid edges that were not seen for a while', () => {
    assert.deepEqual(cyclesIn(graphOf('a>b~', 'b>a', 'a>c', 'c>a')), [['a', 'c']]);
  });

  it('exist, are shortest ones, and are found for exactly the groups there are', () => {
    fc.assert(
      fc.property(aTable, (edges) => {
        const graph = callGraph([table(edges)]);
        const calls = new Set(edges.map(pairOf));
        const reaches = (from: string): Set<string> => {
          const found = new Set<string>();
          for (const at of [from, ...found]) {
            const queue = [at];
            for (const each of queue)
              for (const { caller, callee } of edges)
                if (caller === each && !found.has(callee)) {
                  found.add(callee);
                  queue.push(callee);
                }
          }
          return found;
        };
        const all = new Map([...graph.ids.keys()].map((name) => [name, reaches(name)]));
        const groups = new Set(
          [...all]
            .filter(([name, to]) => to.has(name))
            .map(([name, to]) => [...to].filter((each) => all.get(each)!.has(name)).sort()[0]!),
        );
        const cycles = cyclesIn(graph);
        assert.deepEqual(
          cycles.map(([first]) => first),
          [...groups].sort(),
        );
        for (const cycle of cycles) {
          assert.equal(new Set(cycle).size, cycle.length);
          // No shorter way leads from the first back to it.
          let layer = new Set([cycle[0]!]);
          for (let step = 1; step < cycle.length; step++) {
            layer = new Set(edges.filter(({ caller }) => layer.has(caller)).map(({ callee }) => callee));
            assert.ok(!layer.has(cycle[0]!));
          }
          assert.ok(
            cycle.every((at, index) => calls.has(pairOf({ caller: at, callee: cycle[(index + 1) % cycle.length]! }))),
          );
        }
      }),
      { numRuns: 500 },
    );
  });

  it('are found in a chain of 50,000 services', () => {
    const chain = Array.from({ length: 50_000 }, (_, index) => `s${index}>s${index + 1}`);
    const open = graphOf(...chain);
    assert.deepEqual(cyclesIn(open), []);
    const closed = graphOf(...chain, 's50000>s0');
    assert.equal(cyclesIn(closed)[0]?.length, 50_001);
  });
});

describe('near names', () => {
  it('are misspellings first, then parts', () => {
    const names = ['checkout', 'checkout-api', 'check', 'cart', 'payment', 'Checkuot', '__proto__'];
    assert.deepEqual(nearNames('chekout', names), ['checkout']);
    assert.deepEqual(nearNames('CHECKOUT', names), ['checkout', 'Checkuot', 'checkout-api', 'check']);
    assert.deepEqual(nearNames('__proto_', names), ['__proto__']);
    assert.deepEqual(nearNames('zzz', names), []);
  });

  it('count letters as Levenshtein does', () => {
    const naive = (a: string, b: string): number =>
      a === '' || b === ''
        ? a.length + b.length
        : Math.min(
            naive(a.slice(1), b) + 1,
            naive(a, b.slice(1)) + 1,
            naive(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1),
          );
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 3, maxLength: 6 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        const near = naive(a, b) <= Math.floor(a.length / 3) || a.includes(b) || b.includes(a);
        assert.deepEqual(nearNames(a, [b]), near ? [b] : []);
      }),
      { numRuns: 300 },
    );
  });
});
