import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fitted, opening, showing, zoomed } from '../../../web/src/components/graph/camera.ts';
import { endsOf, onCurve } from '../../../web/src/components/graph/edges.ts';
import { labelSize, placeLabels } from '../../../web/src/components/graph/labels.ts';
import { layOut } from '../../../web/src/components/graph/lay-out.ts';
import { layered } from '../../../web/src/components/graph/layered.ts';
import { around, tidy } from '../../../web/src/components/graph/neighbourhood.ts';
import { BOX, type Position } from '../../../web/src/components/graph/types.ts';
import { figuresOf, shownName } from '../../../web/src/components/graph/words.ts';

const overlaps = (a: Position, b: Position): boolean =>
  Math.abs(a.x - b.x) < BOX.width && Math.abs(a.y - b.y) < BOX.height;

const edges = (size: number) => fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 60 });

describe('web: layout of graphs', () => {
  for (const [name, lay] of Object.entries({ layered, layOut })) {
    it(`${name}: no box lies on another, circles or not`, () => {
      fc.assert(
        fc.property(edges(20), fc.constantFrom('right' as const, 'down' as const), (edges, direction) => {
          const own = edges.filter(([from, to]) => from !== to);
          const positions = lay({ size: 20, edges: own, direction });
          assert.equal(positions.length, 20);
          for (const [index, a] of positions.entries()) {
            assert.ok(Number.isFinite(a.x) && Number.isFinite(a.y));
            for (const b of positions.slice(index + 1)) assert.ok(!overlaps(a, b));
          }
        }),
        { numRuns: 40 },
      );
    });
  }

  it('callees lie beyond their callers', () => {
    const [a, b, c] = layered({
      size: 3,
      edges: [
        [0, 1],
        [1, 2],
      ],
      direction: 'right',
    });
    assert.ok(a!.x < b!.x && b!.x < c!.x);
  });

  it('a chain of 20,000 services is laid out without running out of stack', () => {
    const chain = Array.from({ length: 19_999 }, (_, at): [number, number] => [at, at + 1]);
    assert.equal(layered({ size: 20_000, edges: chain, direction: 'down' }).length, 20_000);
  });

  it('all of a drawing fits, and what is pointed at stays while zooming', () => {
    const positions = layered({ size: 50, edges: [], direction: 'right' });
    const size = { width: 800, height: 400 };
    const camera = fitted(positions, size);
    for (const { x, y } of positions) {
      const [left, top] = [camera.x + x * camera.zoom, camera.y + y * camera.zoom];
      assert.ok(left >= 0 && left <= size.width && top >= 0 && top <= size.height);
    }
    const closer = zoomed(camera, 2, { x: 100, y: 50 });
    const before = { x: (100 - camera.x) / camera.zoom, y: (50 - camera.y) / camera.zoom };
    assert.ok(Math.abs((100 - closer.x) / closer.zoom - before.x) < 1e-6);
    assert.ok(Math.abs((50 - closer.y) / closer.zoom - before.y) < 1e-6);
  });

  it('a graph opens at a readable size: whole if it fits, else around the service it is about', () => {
    const size = { width: 800, height: 400 };
    const few = opening(layered({ size: 2, edges: [[0, 1]], direction: 'right' }), size);
    assert.equal(few.zoom, 1.25, 'a small graph does not fill the canvas with two boxes');
    const positions = layered({ size: 50, edges: [], direction: 'right' });
    const focus = positions[0]!;
    const part = opening(positions, size, [focus]);
    assert.equal(part.zoom, 0.85);
    const [left, top] = [part.x + focus.x * part.zoom, part.y + focus.y * part.zoom];
    assert.ok(left >= 0 && left <= size.width && top >= 0 && top <= size.height);
    const edge = Math.min(...positions.map(({ x }) => part.x + (x - BOX.width / 2) * part.zoom));
    assert.ok(edge <= 24 + 1e-6, 'nothing but the margin is empty beside the first services');
    const both = opening(positions, size, [focus, positions[1]!]);
    for (const { y } of [focus, positions[1]!]) assert.ok(both.y + y * both.zoom > 0 && both.y + y * both.zoom < 400);
    const last = positions.at(-1)!;
    assert.deepEqual(opening(positions, size, [focus, last]), part, 'the first counts if all of them do not fit');
  });

  it('a service that gets the focus moves into view, and no further', () => {
    const size = { width: 800, height: 400 };
    const start = { x: 0, y: 0, zoom: 1 };
    assert.deepEqual(showing({ x: 400, y: 200 }, size, start), start, 'one in view moves nothing');
    const far = showing({ x: 1500, y: -300 }, size, start);
    assert.equal(1500 + far.x + BOX.width / 2, 800 - 24);
    assert.equal(-300 + far.y - BOX.height / 2, 24);
    const narrow = showing({ x: 1500, y: 200 }, { width: 100, height: 400 }, start);
    assert.equal(1500 + narrow.x - BOX.width / 2, 24, 'a box wider than the view shows its beginning');
  });

  for (const direction of ['right', 'down'] as const) {
    it(`labels cover no service and no other label: ${direction}`, () => {
      fc.assert(
        fc.property(edges(12), (edges) => {
          const own = edges.filter(([from, to]) => from !== to);
          const positions = layOut({ size: 12, edges: own, direction });
          const labels = own.map(([from, to]) => ({
            lines: ['1234/s · p95 240 ms', '3.1% errors'],
            way: onCurve(endsOf(positions[from]!, positions[to]!, direction), direction),
          }));
          const size = labelSize(labels[0] ?? { lines: [] });
          const places = placeLabels(labels, positions, direction).filter((place) => place !== undefined);
          for (const [index, a] of places.entries()) {
            for (const b of positions) {
              const isClear =
                Math.abs(a.x - b.x) >= (BOX.width + size.width) / 2 ||
                Math.abs(a.y - b.y) >= (BOX.height + size.height) / 2;
              assert.ok(isClear, 'it covers a service');
            }
            for (const b of places.slice(index + 1))
              assert.ok(Math.abs(a.x - b.x) >= size.width || Math.abs(a.y - b.y) >= size.height);
          }
        }),
        { numRuns: 40 },
      );
    });

    it(`there is room for the figures of every call of a chain: ${direction}`, () => {
      const chain = [
        [0, 1],
        [1, 2],
        [2, 3],
      ] as const;
      const positions = layOut({ size: 4, edges: chain, direction });
      const labels = chain.map(([from, to]) => ({
        lines: ['1234/s · p95 240 ms', '3.1% errors'],
        way: onCurve(endsOf(positions[from]!, positions[to]!, direction), direction),
      }));
      assert.ok(placeLabels(labels, positions, direction).every((place) => place !== undefined));
    });
  }
});

describe('web: what of a graph is shown', () => {
  const name = (index: number): string => `s${index}`;
  const services = Array.from({ length: 100 }, (_, index) => ({ name: name(index) }));
  const calls = Array.from({ length: 99 }, (_, index) => ({ caller: name(index), callee: name(index + 1) }));

  it('the nearest to the one in the middle', () => {
    const part = around({ services, calls }, 's50', 5);
    assert.deepEqual(
      part.services.map(({ name }) => name),
      ['s48', 's49', 's50', 's51', 's52'],
    );
    assert.equal(part.calls.length, 4);
  });

  it('the suspect is in the middle when none is chosen, and the fault path is there', () => {
    const marked = {
      services: services.map((service, index) => (index === 70 ? { ...service, role: 'suspect' as const } : service)),
      calls: calls.map((call, index) => (index < 2 ? { ...call, onFaultPath: true } : call)),
    };
    const names = around(marked, undefined, 8).services.map(({ name }) => name);
    for (const wanted of ['s0', 's1', 's2', 's70']) assert.ok(names.includes(wanted), wanted);
  });

  it('calls of unknown services, to itself and said twice are left out', () => {
    const graph = tidy({
      services: [{ name: 'a' }, { name: '__proto__' }, { name: 'a' }],
      calls: [
        { caller: 'a', callee: '__proto__' },
        { caller: 'a', callee: '__proto__', stale: true },
        { caller: 'a', callee: 'a' },
        { caller: 'a', callee: 'ghost' },
      ],
    });
    assert.equal(graph.services.length, 2);
    assert.deepEqual(graph.calls, [{ caller: 'a', callee: '__proto__', stale: true }]);
  });

  it('figures that were measured, names of any kind', () => {
    assert.deepEqual(
      figuresOf({ caller: 'a', callee: 'b', callsPerSecond: 12, errorRatio: 0.01787, p95Seconds: 0.2408 }),
      ['12/s · p95 240 ms', '1.8% errors'],
    );
    assert.deepEqual(figuresOf({ caller: 'a', callee: 'b', errorRatio: 0 }), ['0% errors']);
    assert.deepEqual(figuresOf({ caller: 'a', callee: 'b' }), []);
    assert.equal(shownName('\u202Eevil'), 'RLOevil');
    assert.equal(shownName(' '), '(no name)');
    assert.equal(shownName('x'.repeat(10_000)).length, 121);
  });
});
