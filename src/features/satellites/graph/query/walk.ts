/** Which services are reached from one, and over which calls. Pure; linear in the edges that are looked at. */
import type { CallGraph } from './call-graph.ts';

export interface Reached {
  /** Services by number, nearest first; without the one that the walk began at. */
  order: Uint32Array;
  /** Calls away from the start; -1 where not reached. */
  depth: Int32Array;
  /** The service before this one on the way that is shown. */
  before: Uint32Array;
  /** How many stale edges that way has: of the shortest ways it is one with the fewest. */
  staleEdges: Uint32Array;
}

/**
 * Breadth-first search. Of several shortest ways to a service the one with the fewest stale edges is kept, then the one
 * whose last service before it comes first by name: the same graph gives the same ways, in whatever order its edges are.
 * @param direction `callees`: along the calls; `callers`: against them
 * @param isMember 1 for services that may be reached; absent: all
 */
export function walk(
  graph: CallGraph,
  start: number,
  direction: 'callees' | 'callers',
  maxDepth = Number.POSITIVE_INFINITY,
  isMember?: Uint8Array,
): Reached {
  const along = direction === 'callees';
  const offsets = along ? graph.offsets : graph.callerOffsets;
  const others = along ? graph.callees : graph.callers;
  const { services, names, stale, callerEdges } = graph;
  const depth = new Int32Array(services).fill(-1);
  const before = new Uint32Array(services);
  const staleEdges = new Uint32Array(services);
  const queue = new Uint32Array(services);
  let length = 1;
  queue[0] = start;
  depth[start] = 0;
  for (let head = 0; head < length; head++) {
    const at = queue[head]!;
    const next = depth[at]! + 1;
    if (next > maxDepth) break;
    for (let place = offsets[at]!; place < offsets[at + 1]!; place++) {
      const other = others[place]!;
      if (isMember?.[other] === 0) continue;
      const known = depth[other]!;
      if (known !== -1 && known !== next) continue;
      const staleOnes = staleEdges[at]! + stale[along ? place : callerEdges[place]!]!;
      if (known === -1) {
        depth[other] = next;
        queue[length++] = other;
      } else if (
        staleOnes > staleEdges[other]! ||
        (staleOnes === staleEdges[other]! && names[before[other]!]! <= names[at]!)
      ) {
        continue;
      }
      before[other] = at;
      staleEdges[other] = staleOnes;
    }
  }
  return { order: queue.slice(1, length), depth, before, staleEdges };
}

/** @returns the names on the way from the start to the service, both included */
export function pathTo(graph: CallGraph, { depth, before }: Reached, service: number): string[] {
  const path: string[] = [];
  for (let at = service; ; at = before[at]!) {
    path.push(graph.names[at]!);
    if (depth[at] === 0) return path.toReversed();
  }
}
