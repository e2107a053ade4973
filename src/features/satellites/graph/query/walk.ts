/** The services reachable from one, and over which calls. Pure; linear in the edges visited. */
import type { CallGraph } from './call-graph.ts';

export interface Reached {
  direction: Direction;
  /** Services by number, nearest first; without the starting one. */
  order: Uint32Array;
  /** Distance from the start; -1 if unreachable. */
  depth: Int32Array;
  /** The fewest stale edges on any shortest path to a service. */
  staleEdges: Uint32Array;
}

/** Along the calls, or against them. */
export type Direction = 'callees' | 'callers';

/**
 * Breadth-first search.
 * @param isMember 1 for services that may be visited; all by default
 */
export function walk(
  graph: CallGraph,
  start: number,
  direction: Direction,
  maxDepth = Number.POSITIVE_INFINITY,
  isMember?: Uint8Array,
): Reached {
  const along = direction === 'callees';
  const offsets = along ? graph.offsets : graph.callerOffsets;
  const others = along ? graph.callees : graph.callers;
  const { services, stale, callerEdges } = graph;
  const depth = new Int32Array(services).fill(-1);
  const staleEdges = new Uint32Array(services);
  const queue = new Uint32Array(services);
  let length = 1;
  queue[0] = start;
  depth[start] = 0;
  for (let head = 0; head < length; head++) {
    const at = queue[head]!;
    const next = depth[at]! + 1;
    if (next > maxDepth) break;
    const end = offsets[at + 1]!;
    for (let place = offsets[at]!; place < end; place++) {
      const other = others[place]!;
      const known = depth[other]!;
      if ((known !== -1 && known !== next) || isMember?.[other] === 0) continue;
      const staleOnes = staleEdges[at]! + stale[along ? place : callerEdges[place]!]!;
      if (known === -1) {
        depth[other] = next;
        queue[length++] = other;
        staleEdges[other] = staleOnes;
      } else if (staleOnes < staleEdges[other]!) {
        staleEdges[other] = staleOnes;
      }
    }
  }
  return { direction, order: queue.subarray(1, length), depth, staleEdges };
}

/**
 * A shortest path to a reached service, among those with the fewest stale edges: going back from its end, the one over
 * the services that come first by name. This makes the path independent of the order of the edges.
 * @returns names, from the start to the service, both included
 */
export function pathTo(graph: CallGraph, reached: Reached, service: number): string[] {
  const path = [graph.names[service]!];
  for (let at = service; reached.depth[at]! > 0;) {
    at = before(graph, reached, at);
    path.push(graph.names[at]!);
  }
  return path.toReversed();
}

function before(graph: CallGraph, { direction, depth, staleEdges }: Reached, service: number): number {
  const along = direction === 'callees';
  // The predecessor is at the other end of the calls.
  const offsets = along ? graph.callerOffsets : graph.offsets;
  const others = along ? graph.callers : graph.callees;
  let found: number | undefined;
  for (let place = offsets[service]!; place < offsets[service + 1]!; place++) {
    const other = others[place]!;
    if (depth[other] !== depth[service]! - 1) continue;
    const staleOnes = staleEdges[other]! + graph.stale[along ? graph.callerEdges[place]! : place]!;
    if (staleOnes !== staleEdges[service]) continue;
    if (found === undefined || graph.names[other]! < graph.names[found]!) found = other;
  }
  if (found === undefined) throw new RangeError(`${graph.names[service]} was not reached.`);
  return found;
}
