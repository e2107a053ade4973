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
