/** Services that call each other in cycles. Pure. */
import type { CallGraph } from './call-graph.ts';
import { pathTo, walk } from './walk.ts';

/** Services that call each other in cycles: each reaches all others. */
export interface CycleGroup {
  members: readonly number[];
  /** The first by name. */
  first: number;
  /** Computed on demand. */
  cycle?: readonly string[];
}

/**
 * @param isMember 1 for the services to consider, ignoring calls from and to others; all by default
 * @returns by the name of the first
 */
export function cycleGroups(graph: CallGraph, isMember?: Uint8Array): CycleGroup[] {
  const { names } = graph;
  const groups = groupsOf(graph, isMember).map((members) => ({
    members,
    first: members.reduce((first, service) => (names[service]! < names[first]! ? service : first)),
  }));
  return groups.sort((a, b) => (names[a.first]! < names[b.first]! ? -1 : 1));
}

/**
 * A shortest cycle through the group's first service, in call order from there; among several, one with the fewest
 * stale edges. A service that calls itself is a cycle of one.
 */
export function cycleIn(graph: CallGraph, group: CycleGroup): readonly string[] {
  group.cycle ??= shortestCycle(graph, group);
  return group.cycle;
}

/**
 * Strongly connected components with an internal call, by Tarjan's algorithm (1972); without recursion, for deep
 * graphs.
 */
function groupsOf(graph: CallGraph, isMember?: Uint8Array): number[][] {
  const { services, offsets, callees } = graph;
  // 0: not visited yet.
  const index = new Uint32Array(services);
  const low = new Uint32Array(services);
  const isOpen = new Uint8Array(services);
  const next = offsets.slice(0, services);
  const open: number[] = [];
  const work: number[] = [];
  const groups: number[][] = [];
  let seen = 0;
  const enter = (service: number): void => {
    index[service] = ++seen;
    low[service] = seen;
    isOpen[service] = 1;
    open.push(service);
    work.push(service);
  };
  for (let root = 0; root < services; root++) {
    if (isMember?.[root] === 0 || index[root] !== 0) continue;
    enter(root);
    while (work.length > 0) {
      const at = work[work.length - 1]!;
      const edge = next[at]!;
      if (edge < offsets[at + 1]!) {
        next[at] = edge + 1;
        const callee = callees[edge]!;
        if (isMember?.[callee] === 0) continue;
        if (index[callee] === 0) enter(callee);
        else if (isOpen[callee] === 1) low[at] = Math.min(low[at]!, index[callee]!);
        continue;
      }
      work.pop();
      const parent = work[work.length - 1];
      if (parent !== undefined) low[parent] = Math.min(low[parent]!, low[at]!);
      if (low[at] !== index[at]) continue;
      const group: number[] = [];
      let member: number | undefined;
      do {
        member = open.pop()!;
        isOpen[member] = 0;
        group.push(member);
      } while (member !== at);
      if (group.length > 1 || calls(graph, at, at)) groups.push(group);
    }
  }
  return groups;
}

function calls({ offsets, callees }: CallGraph, caller: number, callee: number): boolean {
  return callees.subarray(offsets[caller], offsets[caller + 1]).includes(callee);
}

function shortestCycle(graph: CallGraph, { members, first }: CycleGroup): string[] {
  const { names, callerOffsets, callers, callerEdges, stale } = graph;
  const isMember = new Uint8Array(graph.services);
  for (const member of members) isMember[member] = 1;
  const reached = walk(graph, first, 'callees', Number.POSITIVE_INFINITY, isMember);
  let last: { service: number; depth: number; staleEdges: number } | undefined;
  for (let place = callerOffsets[first]!; place < callerOffsets[first + 1]!; place++) {
    const service = callers[place]!;
    if (isMember[service] === 0) continue;
    const [depth, staleEdges] = [reached.depth[service]!, reached.staleEdges[service]! + stale[callerEdges[place]!]!];
    const order = last
      ? depth - last.depth || staleEdges - last.staleEdges || (names[service]! < names[last.service]! ? -1 : 1)
      : -1;
    if (order < 0) last = { service, depth, staleEdges };
  }
  return last ? pathTo(graph, reached, last.service) : [];
}
