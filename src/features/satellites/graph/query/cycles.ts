/** Services that call each other in circles. Pure. */
import type { CallGraph } from './call-graph.ts';

export interface Cycles {
  /** One for each group of services that call each other in circles: a shortest one through its first by name. */
  cycles: string[][];
  /** Of all groups. */
  total: number;
}

/**
 * @param isMember 1 for the services to look at: calls of and to others do not count
 * @param most how many cycles to give, the first by name
 * @param longest how many services a cycle that is given may have
 * @returns each cycle in call order, from its alphabetically first service; a service that calls itself is one of one
 */
export function findCycles(graph: CallGraph, isMember: Uint8Array, most: number, longest: number): Cycles {
  const groups = groupsOf(graph, isMember).map((group) => ({ group, first: firstByName(graph, group) }));
  groups.sort((a, b) => (graph.names[a.first]! < graph.names[b.first]! ? -1 : 1));
  const cycles: string[][] = [];
  for (const { group, first } of groups) {
    if (cycles.length >= most) break;
    const cycle = shortestCycle(graph, new Set(group), first);
    if (cycle.length <= longest) cycles.push(cycle.map((service) => graph.names[service]!));
  }
  return { cycles, total: groups.length };
}

function firstByName({ names }: CallGraph, group: readonly number[]): number {
  return group.reduce((first, service) => (names[service]! < names[first]! ? service : first));
}

/** Strongly connected components with a call inside, as by Tarjan (1972); without recursion, for deep graphs. */
function groupsOf(graph: CallGraph, isMember: Uint8Array): number[][] {
  const { services, offsets, callees } = graph;
  // 0: not seen yet.
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
    if (isMember[root] === 0 || index[root] !== 0) continue;
    enter(root);
    while (work.length > 0) {
      const at = work[work.length - 1]!;
      const edge = next[at]!;
      if (edge < offsets[at + 1]!) {
        next[at] = edge + 1;
        const callee = callees[edge]!;
        if (isMember[callee] === 0) continue;
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

/** Breadth-first from `first` within its group, back to it; by name among equals. */
function shortestCycle(graph: CallGraph, group: ReadonlySet<number>, first: number): number[] {
  const { offsets, callees, names } = graph;
  const before = new Map<number, number>();
  const queue = [first];
  for (const at of queue) {
    const around = [...callees.subarray(offsets[at], offsets[at + 1])].filter((callee) => group.has(callee));
    if (around.includes(first)) return wayBack(before, at, first);
    around.sort((a, b) => (names[a]! < names[b]! ? -1 : 1));
    for (const callee of around) {
      if (before.has(callee)) continue;
      before.set(callee, at);
      queue.push(callee);
    }
  }
  return [];
}

function wayBack(before: ReadonlyMap<number, number>, last: number, first: number): number[] {
  const way = [last];
  for (let at = last; at !== first; way.push(at)) at = before.get(at)!;
  return way.toReversed();
}
