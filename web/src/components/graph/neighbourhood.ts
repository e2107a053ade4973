/** Selects the part of a large graph that is shown first. */
import type { Graph, GraphService } from './types.ts';

const IMPORTANCE = { cause: 0, suspect: 0, alerting: 1, affected: 2, ruled_out: 3, related: 4 } as const;
const importance = ({ role = 'related' }: GraphService): number => IMPORTANCE[role];

/** The service that a graph is about. */
export const mostImportant = (services: readonly GraphService[]): string | undefined =>
  [...services].sort((a, b) => importance(a) - importance(b))[0]?.name;

/** Calls among the given services, each pair once, no self-calls. */
export function tidy({ services, calls }: Graph): Graph {
  const known = new Map(services.map((service) => [service.name, service]));
  const pairs = new Map(
    calls
      .filter(({ caller, callee }) => caller !== callee && known.has(caller) && known.has(callee))
      .map((call) => [JSON.stringify([call.caller, call.callee]), call]),
  );
  return { services: [...known.values()], calls: [...pairs.values()] };
}

function listOf(lists: Map<string, string[]>, name: string): string[] {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  return list;
}

/**
 * The services nearest to one, by calls in either direction, those on the fault path first.
 * @param from the service in the middle; the most important one by default
 * @param most how many services to keep
 */
export function around(graph: Graph, from: string | undefined, most: number): Graph {
  const { services, calls } = graph;
  if (services.length <= most) return graph;
  const byName = new Map(services.map((service) => [service.name, service]));
  const neighbours = new Map<string, string[]>();
  for (const { caller, callee } of calls) {
    listOf(neighbours, caller).push(callee);
    listOf(neighbours, callee).push(caller);
  }
  const middle = from !== undefined && byName.has(from) ? from : mostImportant(services);
  const kept = new Set<string>(middle === undefined ? [] : [middle]);
  for (const { caller, callee, onFaultPath } of calls) {
    if (onFaultPath === true && kept.size + 2 <= most) kept.add(caller).add(callee);
  }
  for (const name of kept) {
    const near = (neighbours.get(name) ?? []).flatMap((each) => byName.get(each) ?? []);
    for (const { name: next } of near.sort((a, b) => importance(a) - importance(b))) {
      if (kept.size >= most) break;
      kept.add(next);
    }
  }
  return {
    services: services.filter(({ name }) => kept.has(name)),
    calls: calls.filter(({ caller, callee }) => kept.has(caller) && kept.has(callee)),
  };
}
