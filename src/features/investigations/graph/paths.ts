import type { KnownCall } from './calls.ts';

/**
 * Services by distance from the centre in calls, in either direction; unreachable ones last.
 * @param centre comes first, in this order
 * @param all every service, in the order of those at equal distance
 */
export function nearestFirst(
  calls: readonly Pick<KnownCall, 'caller' | 'callee'>[],
  centre: readonly string[],
  all: readonly string[],
): string[] {
  const place = new Map(all.map((name, index) => [name, index]));
  const byPlace = (a: string, b: string): number => (place.get(a) ?? all.length) - (place.get(b) ?? all.length);
  const neighbours = new Map<string, Set<string>>();
  const link = (from: string, to: string): void => {
    const known = neighbours.get(from);
    if (known) known.add(to);
    else neighbours.set(from, new Set([to]));
  };
  for (const { caller, callee } of calls) {
    link(caller, callee);
    link(callee, caller);
  }
  const found = new Set(centre);
  let layer = [...centre];
  while (layer.length > 0) {
    const next = new Set(layer.flatMap((name) => [...(neighbours.get(name) ?? [])]).filter((name) => !found.has(name)));
    layer = [...next].sort(byPlace);
    for (const name of layer) found.add(name);
  }
  return [...found, ...all.filter((name) => !found.has(name))];
}

/** The path of a fault along calls. */

interface Call {
  caller: string;
  callee: string;
  stale: boolean;
}

/** A stale call is used only if there is no other. */
const STALE = 1_000;

/**
 * The shortest path along calls between two services; of equally short ones, the one with the greatest total weight,
 * then the alphabetically first. Linear in the number of calls.
 * @param weight how likely the fault went through a service, at least 0
 * @returns the services in call order, both ends included; empty if there is no path
 */
export function faultPath(
  calls: readonly Call[],
  { from, to }: { from: string; to: string },
  weight: (service: string) => number,
): string[] {
  const callers = new Map<string, Call[]>();
  for (const call of calls) {
    const known = callers.get(call.callee);
    if (known) known.push(call);
    else callers.set(call.callee, [call]);
  }
  // Backwards from the end, layer by layer: successors are weighed before the layer itself.
  const ways = new Map<string, { length: number; weight: number; next?: string }>([[to, { length: 0, weight: 0 }]]);
  for (const [callee, { length, weight: rest }] of ways) {
    for (const { caller, stale } of callers.get(callee) ?? []) {
      const way = { length: length + 1, weight: rest + weight(callee) - (stale ? STALE : 0), next: callee };
      const known = ways.get(caller);
      if (!known) ways.set(caller, way);
      else if (known.length === way.length && isBetter(way, known)) Object.assign(known, way);
    }
  }
  if (!ways.has(from)) return [];
  const path: string[] = [];
  for (let at: string | undefined = from; at !== undefined; at = ways.get(at)?.next) path.push(at);
  return path;
}

interface Way {
  weight: number;
  next?: string;
}

function isBetter(one: Way, other: Way): boolean {
  if (one.weight !== other.weight) return one.weight > other.weight;
  return (one.next ?? '') < (other.next ?? '');
}
