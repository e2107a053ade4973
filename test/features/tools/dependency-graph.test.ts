import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { findCycles, reach, servicesOf } from '../../../src/features/tools/telemetry/dependency-graph.ts';

const edges = (...pairs: string[]) =>
  pairs.map((pair) => ({ caller: pair.split('>')[0] ?? '', callee: pair.split('>')[1] ?? '' }));
const shop = edges('web>cart', 'web>checkout', 'checkout>pay', 'checkout>db', 'cart>db', 'pay>bank', 'bank>checkout');

const graphs = fc
  .array(fc.tuple(fc.nat(8), fc.nat(8)), { maxLength: 25 })
  .map((pairs) => pairs.map(([caller, callee]) => ({ caller: `s${caller}`, callee: `s${callee}` })));

describe('dependency graph', () => {
  it('walks downstream by depth, with a shortest path', () => {
    assert.deepEqual(reach(shop, 'web', 'downstream', 2), [
      { name: 'cart', depth: 1, path: ['web', 'cart'] },
      { name: 'checkout', depth: 1, path: ['web', 'checkout'] },
      { name: 'db', depth: 2, path: ['web', 'cart', 'db'] },
      { name: 'pay', depth: 2, path: ['web', 'checkout', 'pay'] },
    ]);
  });

  it('walks upstream to a depth, and for impact however far', () => {
    assert.deepEqual(
      reach(shop, 'db', 'upstream', 1).map(({ name }) => name),
      ['cart', 'checkout'],
    );
    assert.deepEqual(
      reach(shop, 'db', 'impact', 1).map(({ name }) => name),
      ['cart', 'checkout', 'bank', 'web', 'pay'],
    );
    assert.deepEqual(reach(shop, 'unknown', 'impact'), []);
  });

  it('finds one cycle per group, in call order, and services that call themselves', () => {
    assert.deepEqual(findCycles(shop), [['bank', 'checkout', 'pay']]);
    assert.deepEqual(findCycles([...shop, ...edges('db>db')]), [['bank', 'checkout', 'pay'], ['db']]);
    assert.deepEqual(findCycles(edges('a>b', 'b>c', 'a>c')), []);
  });

  it('gives paths and cycles that exist, each service once, at its least depth', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const calls = new Set(graph.map(({ caller, callee }) => `${caller}>${callee}`));
        const found = reach(graph, 's0', 'downstream');
        assert.equal(new Set(found.map(({ name }) => name)).size, found.length);
        const depths = new Map([['s0', 0], ...found.map(({ name, depth }) => [name, depth] as const)]);
        for (const { name, depth, path } of found) {
          assert.equal(path.length, depth + 1);
          assert.deepEqual([path[0], path.at(-1)], ['s0', name]);
          assert.ok(path.slice(1).every((at, index) => calls.has(`${path[index]}>${at}`)));
        }
        for (const { caller, callee } of graph) {
          const from = depths.get(caller);
          if (from !== undefined) assert.ok((depths.get(callee) ?? Infinity) <= from + 1);
        }
        const inCycle = servicesOf(graph).filter((service) =>
          graph.some(({ caller, callee }) => {
            return (
              caller === service &&
              (callee === service || reach(graph, callee, 'downstream').some(({ name }) => name === service))
            );
          }),
        );
        const cycles = findCycles(graph);
        for (const cycle of cycles) {
          assert.ok(cycle.every((at, index) => calls.has(`${at}>${cycle[(index + 1) % cycle.length]}`)));
          assert.ok(cycle.every((service) => inCycle.includes(service)));
        }
        assert.equal(cycles.length > 0, inCycle.length > 0);
      }),
      { numRuns: 300 },
    );
  });

  it('is safe on a chain of 20,000 services', () => {
    const chain = Array.from({ length: 20_000 }, (_, index) => ({ caller: `s${index}`, callee: `s${index + 1}` }));
    assert.deepEqual(findCycles(chain), []);
    assert.equal(findCycles([...chain, { caller: 's20000', callee: 's0' }])[0]?.length, 20_001);
  });
});
