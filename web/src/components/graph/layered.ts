/**
 * A cheap layout for big graphs: layers by how many calls lie between a service and where requests come in, ordered
 * within a layer by where their neighbours are (the barycentre heuristic of Sugiyama's method). Linear but for sorting.
 */
import { BOX, type Direction, type Position } from './types.ts';

export interface LayoutRequest {
  /** Nodes are numbers from 0. */
  size: number;
  edges: readonly (readonly [from: number, to: number])[];
  direction: Direction;
}

const SWEEPS = 4;
/** A longer layer is folded into several beside each other. */
const MOST_IN_FILE = 40;
export const GAP = { along: 90, across: 22 } as const;

/** Edges without those that close a circle, found by a depth-first walk that keeps its own stack. */
function withoutCircles({ size, edges }: LayoutRequest): number[][] {
  const next: number[][] = Array.from({ length: size }, () => []);
  const callers = new Uint32Array(size);
  for (const [from, to] of edges) {
    next[from]?.push(to);
    callers[to] = (callers[to] ?? 0) + 1;
  }
  const kept: number[][] = Array.from({ length: size }, () => []);
  const state = new Uint8Array(size);
  const nodes = [...Array.from({ length: size }).keys()].sort((a, b) => (callers[a] ?? 0) - (callers[b] ?? 0));
  for (const root of nodes) {
    if (state[root] !== 0) continue;
    const stack = [{ node: root, at: 0 }];
    state[root] = 1;
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const to = next[top.node]?.[top.at++];
      if (to === undefined) {
        state[top.node] = 2;
        stack.pop();
      } else if (state[to] !== 1) {
        kept[top.node]?.push(to);
        if (state[to] === 0) {
          state[to] = 1;
          stack.push({ node: to, at: 0 });
        }
      }
    }
  }
  return kept;
}

/** The longest way to each node. */
function depths(next: readonly number[][]): number[] {
  const depth = next.map(() => 0);
  const open = next.map(() => 0);
  for (const list of next) for (const to of list) open[to] = (open[to] ?? 0) + 1;
  const ready = [...open.keys()].filter((node) => open[node] === 0);
  for (const node of ready) {
    for (const to of next[node] ?? []) {
      depth[to] = Math.max(depth[to] ?? 0, (depth[node] ?? 0) + 1);
      open[to] = (open[to] ?? 0) - 1;
      if (open[to] === 0) ready.push(to);
    }
  }
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

/** @returns for each node where its middle is */
export function layered(request: LayoutRequest): Position[] {
  const next = withoutCircles(request);
  const layers: number[][] = [];
  for (const [node, depth] of depths(next).entries()) (layers[depth] ??= []).push(node);
  order(layers, next);
  const isRight = request.direction === 'right';
  const along = (isRight ? BOX.width : BOX.height) + GAP.along;
  const across = (isRight ? BOX.height : BOX.width) + GAP.across;
  const positions: Position[] = Array.from({ length: request.size }, () => ({ x: 0, y: 0 }));
  let file = 0;
  for (const layer of layers) {
    const files = Math.ceil(layer.length / MOST_IN_FILE);
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
