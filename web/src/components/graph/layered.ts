/**
 * A cheap layout for large graphs: layers by distance from where requests enter, ordered within a layer by the position
 * of neighbours (the barycentre heuristic of Sugiyama's method). Linear apart from sorting.
 */
import { BOX, type Direction, type Position } from './types.ts';

export interface LayoutRequest {
  /** Nodes are numbers from 0. */
  size: number;
  edges: readonly (readonly [from: number, to: number])[];
  direction: Direction;
}

const SWEEPS = 4;
/** Between layers, by direction, there is room for the figures of a call; `across` separates the services of a layer. */
export const GAP = { right: 100, down: 72, across: 22 } as const;

/** Adjacency lists: what each node calls. */
function callees({ size, edges }: LayoutRequest): number[][] {
  const next: number[][] = Array.from({ length: size }, () => []);
  for (const [from, to] of edges) next[from]?.push(to);
  return next;
}

/** Shortest distance from nodes without callers; a cycle that has none starts at its first node. */
function depths(next: readonly number[][]): number[] {
  const depth = next.map(() => -1);
  const isCalled = next.map(() => false);
  for (const list of next) for (const to of list) isCalled[to] = true;
  const walk = (roots: readonly number[]): void => {
    const queue = roots.filter((root) => depth[root] === -1);
    for (const root of queue) depth[root] = 0;
    for (const node of queue) {
      for (const to of next[node] ?? []) {
        if (depth[to] !== -1) continue;
        depth[to] = (depth[node] ?? 0) + 1;
        queue.push(to);
      }
    }
  };
  const nodes = [...next.keys()];
  walk(nodes.filter((node) => isCalled[node] !== true));
  for (const node of nodes) walk([node]);
  return depth;
}

function order(layers: number[][], next: readonly number[][]): void {
  const before: number[][] = next.map(() => []);
  for (const [from, list] of next.entries()) for (const to of list) before[to]?.push(from);
  const place = new Float64Array(next.length);
  const settle = (layer: readonly number[]): void => {
    for (const [at, node] of layer.entries()) place[node] = (at + 0.5) / layer.length;
  };
  layers.forEach(settle);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isDown = sweep % 2 === 0;
    for (const layer of isDown ? layers : layers.toReversed()) {
      const wanted = new Map(
        layer.map((node) => {
          const near = (isDown ? before[node] : next[node]) ?? [];
          const sum = near.reduce((total, each) => total + (place[each] ?? 0), 0);
          return [node, near.length === 0 ? (place[node] ?? 0) : sum / near.length];
        }),
      );
      layer.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
      settle(layer);
    }
  }
}

/** @returns the centre of each node */
export function layered(request: LayoutRequest): Position[] {
  const next = callees(request);
  const layers: number[][] = [];
  for (const [node, depth] of depths(next).entries()) (layers[depth] ??= []).push(node);
  order(layers, next);
  const isRight = request.direction === 'right';
  const along = (isRight ? BOX.width : BOX.height) + GAP[request.direction];
  const across = (isRight ? BOX.height : BOX.width) + GAP.across;
  const positions: Position[] = Array.from({ length: request.size }, () => ({ x: 0, y: 0 }));
  // A layer that is too long wraps into several columns, so that the whole is about as wide as it is high.
  const mostInFile = Math.max(12, Math.ceil(Math.sqrt(request.size * (isRight ? 1.25 : 0.6))));
  let file = 0;
  for (const layer of layers) {
    const files = Math.ceil(layer.length / mostInFile);
    const inFile = Math.ceil(layer.length / files);
    for (const [at, node] of layer.entries()) {
      const length = Math.min(inFile, layer.length - Math.floor(at / inFile) * inFile);
      const a = (file + Math.floor(at / inFile)) * along;
      const b = ((at % inFile) - (length - 1) / 2) * across;
      positions[node] = isRight ? { x: a, y: b } : { x: b, y: a };
    }
    file += files;
  }
  return positions;
}
