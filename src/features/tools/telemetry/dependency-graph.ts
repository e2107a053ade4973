/** Answers who calls whom on plain edges. Pure; linear in the number of edges. */
import type { ServiceEdge } from '../../sources/port.ts';

/**
 * `downstream`: what the service calls, directly or not. `upstream`: what calls it. `impact`: everything its failure
 * can affect, which is all of upstream at any distance.
 */
type Direction = 'downstream' | 'upstream' | 'impact';

interface ReachedService {
  name: string;
  /** Calls between it and the queried service, at least 1. */
  depth: number;
  /** A shortest path from the queried service to this one, both included. */
  path: string[];
}

type Adjacency = Map<string, string[]>;

/** @returns every service named in the edges, sorted */
export function servicesOf(edges: readonly ServiceEdge[]): string[] {
  return [...new Set(edges.flatMap(({ caller, callee }) => [caller, callee]))].sort();
}

/**
 * The services reachable from one service, nearest first, then by name.
 * @param maxDepth maximum distance in calls; ignored for `impact`
 */
export function reach(
  edges: readonly ServiceEdge[],
  service: string,
  direction: Direction,
  maxDepth = Number.POSITIVE_INFINITY,
): ReachedService[] {
  const bound = direction === 'impact' ? Number.POSITIVE_INFINITY : maxDepth;
  const next = adjacency(edges, direction === 'downstream');
  const cameFrom = new Map<string, string | undefined>([[service, undefined]]);
  const depths = new Map<string, number>([[service, 0]]);
  const queue = [service];
  for (const at of queue) {
    const depth = (depths.get(at) ?? 0) + 1;
    if (depth > bound) break;
    for (const neighbour of next.get(at) ?? []) {
      if (depths.has(neighbour)) continue;
      depths.set(neighbour, depth);
      cameFrom.set(neighbour, at);
      queue.push(neighbour);
    }
  }
  return queue
    .slice(1)
    .map((name) => ({ name, depth: depths.get(name) ?? 0, path: pathTo(name, cameFrom) }))
    .sort((a, b) => a.depth - b.depth || compare(a.name, b.name));
}

/** @returns the edges with both ends in `services` */
export function edgesAmong<Edge extends ServiceEdge>(edges: readonly Edge[], services: ReadonlySet<string>): Edge[] {
  return edges.filter(({ caller, callee }) => services.has(caller) && services.has(callee));
}

/**
 * One cycle per group of services that call each other in a circle (strongly connected components by Tarjan 1972,
 * without recursion, so deep graphs are safe).
 * @returns each cycle once, in call order, starting with its alphabetically first service; a service that calls itself
 *   is a cycle of one
 */
export function findCycles(edges: readonly ServiceEdge[]): string[][] {
  const next = adjacency(edges, true);
  const cycles: string[][] = [];
  for (const component of components(servicesOf(edges), next)) {
    const members = new Set(component);
    const first = [...component].sort(compare)[0];
    if (first === undefined) continue;
    const cycle = shortestCycle(first, members, next);
    if (cycle) cycles.push(cycle);
  }
  return cycles.sort((a, b) => compare(a[0] ?? '', b[0] ?? ''));
}

function shortestCycle(start: string, members: ReadonlySet<string>, next: Adjacency): string[] | undefined {
  const cameFrom = new Map<string, string | undefined>([[start, undefined]]);
  const queue = [start];
  for (const at of queue) {
    for (const neighbour of next.get(at) ?? []) {
      if (neighbour === start) return pathTo(at, cameFrom);
      if (!members.has(neighbour) || cameFrom.has(neighbour)) continue;
      cameFrom.set(neighbour, at);
      queue.push(neighbour);
    }
  }
  return undefined;
}

function components(names: readonly string[], next: Adjacency): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const found: string[][] = [];

  for (const root of names) {
    if (index.has(root)) continue;
    const work: { name: string; neighbour: number }[] = [{ name: root, neighbour: 0 }];
    while (work.length > 0) {
      const frame = work[work.length - 1];
      if (!frame) break;
      const { name } = frame;
      if (frame.neighbour === 0 && !index.has(name)) {
        index.set(name, index.size);
        low.set(name, index.get(name) ?? 0);
        open.push(name);
        isOpen.add(name);
      }
      const neighbour = next.get(name)?.[frame.neighbour++];
      if (neighbour !== undefined) {
        if (!index.has(neighbour)) work.push({ name: neighbour, neighbour: 0 });
        else if (isOpen.has(neighbour)) lower(low, name, index.get(neighbour) ?? 0);
        continue;
      }
      work.pop();
      const parent = work[work.length - 1];
      if (parent) lower(low, parent.name, low.get(name) ?? 0);
      if (low.get(name) !== index.get(name)) continue;
      const component = open.splice(open.lastIndexOf(name));
      for (const member of component) isOpen.delete(member);
      found.push(component);
    }
  }
  return found;
}

function lower(low: Map<string, number>, name: string, value: number): void {
  low.set(name, Math.min(low.get(name) ?? value, value));
}

function adjacency(edges: readonly ServiceEdge[], forwards: boolean): Adjacency {
  const next = new Map<string, Set<string>>();
  for (const { caller, callee } of edges) {
    const [from, to] = forwards ? [caller, callee] : [callee, caller];
    const known = next.get(from);
    if (known) known.add(to);
    else next.set(from, new Set([to]));
  }
  return new Map([...next].map(([name, neighbours]) => [name, [...neighbours].sort(compare)]));
}

function pathTo(name: string, cameFrom: ReadonlyMap<string, string | undefined>): string[] {
  const path: string[] = [];
  for (let at: string | undefined = name; at !== undefined; at = cameFrom.get(at)) path.push(at);
  return path.toReversed();
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
