import type { ServiceEdge } from './types.ts';

/**
 * Nodes of a trace graph that carry calls but run none of the system's own code: load balancers, the caller's side of
 * a call (`*_client`), the unseen far side of one (`*_remote`), sidecars. They repeat what happens behind them.
 */
const transportNames =
  /(_client|_remote|[-_ ](proxy|sidecar|lb|alb|nlb|elb|load-?balancer|ingress|ingressgateway))$|\.elb\.|elasticloadbalanc|execute-api\.|^istio-(ingress|egress)gateway$|^passthroughcluster$|^envoy$/i;

export function isTransport(service: string): boolean {
  return transportNames.test(service);
}

/** Who calls whom, with look-ups in both directions. Self-calls and repeated edges are dropped. */
export interface ServiceGraph {
  nodes: ReadonlySet<string>;
  calleesOf: (service: string) => ReadonlySet<string>;
  callersOf: (service: string) => ReadonlySet<string>;
}

export function buildServiceGraph(edges: readonly ServiceEdge[]): ServiceGraph {
  const callees = new Map<string, Set<string>>();
  const callers = new Map<string, Set<string>>();
  const nodes = new Set<string>();
  for (const { caller, callee } of edges) {
    nodes.add(caller).add(callee);
    if (caller === callee) continue;
    add(callees, caller, callee);
    add(callers, callee, caller);
  }
  const none: ReadonlySet<string> = new Set();
  return {
    nodes,
    calleesOf: (service) => callees.get(service) ?? none,
    callersOf: (service) => callers.get(service) ?? none,
  };
}

/** The service and everything it reaches along calls. Cycles are visited once. */
export function reachableDownstream(graph: ServiceGraph, service: string): Set<string> {
  const seen = new Set([service]);
  const queue = [service];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const callee of graph.calleesOf(next)) {
      if (seen.has(callee)) continue;
      seen.add(callee);
      queue.push(callee);
    }
  }
  return seen;
}

/**
 * The nearest nodes for which `stops` holds, looking through those for which it does not (transport nodes with
 * something behind them, services that report nothing). Never includes the start.
 */
export function nearest(
  start: string,
  step: (service: string) => ReadonlySet<string>,
  stops: (service: string) => boolean,
): Set<string> {
  const found = new Set<string>();
  const seen = new Set([start]);
  const queue = [...step(start)];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    if (stops(next)) found.add(next);
    else queue.push(...step(next));
  }
  return found;
}

function add(map: Map<string, Set<string>>, key: string, value: string): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, new Set([value]));
  else values.add(value);
}
