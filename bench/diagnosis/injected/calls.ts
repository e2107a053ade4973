import type { Random } from '../../../demo/simulator/random.ts';
import { isTransport, type MetricSeries, type ServiceEdge } from '../../../src/features/diagnosis/index.ts';

/** How one request of a caller turns into calls to a callee. */
export interface Call {
  callee: string;
  /** Share of the caller's requests that make the call at all. */
  share: number;
  /** Calls in a row made by one that does. */
  times: number;
  /** Part of the callee's time the caller waits for; about 1 for a synchronous call, about 0 for a queued one. */
  waited: number;
  /** Probability that a failed call fails the caller's request. */
  fatal: number;
}

/** Who calls whom how often, guessed from requests per node, which is all a recording tells. */
export interface CallModel {
  /** Nodes that run code or hold data, with traffic; these can be at fault. */
  services: string[];
  callsOf: ReadonlyMap<string, Call[]>;
  /** The service a transport node stands in front of. */
  hiddenBehind: ReadonlyMap<string, string>;
  /** Requests per interval in health. */
  requests: ReadonlyMap<string, number>;
}

/**
 * A callee's requests are shared out to its callers in proportion to the callers' own. Whether a call is waited for
 * and whether its failure is fatal is drawn for every edge and case: four in five calls are synchronous.
 */
export function drawCallModel(
  series: readonly MetricSeries[],
  edges: readonly ServiceEdge[],
  random: Random,
): CallModel {
  const requests = new Map<string, number>();
  for (const one of series) {
    if (one.metric !== 'requests') continue;
    const present = one.values.filter(Number.isFinite);
    requests.set(one.service, present.reduce((sum, value) => sum + value, 0) / Math.max(1, present.length));
  }
  const rate = (node: string): number => requests.get(node) ?? 0;
  const callers = new Map<string, string[]>();
  for (const { caller, callee } of edges) callers.set(callee, [...(callers.get(callee) ?? []), caller]);
  const callsOf = new Map<string, Call[]>();
  for (const { caller, callee } of edges) {
    const competing = (callers.get(callee) ?? []).reduce((sum, other) => sum + rate(other), 0);
    if (rate(caller) === 0 || competing === 0 || isTransport(callee)) continue;
    const perRequest = Math.min(5, rate(callee) / competing);
    const share = perRequest < 1 ? perRequest : 0.4 + 0.6 * random.next();
    const synchronous = random.next() < 0.8;
    const fatal = random.next() < 0.8;
    const call: Call = {
      callee,
      share,
      times: perRequest < 1 ? 1 : perRequest / share,
      waited: synchronous ? 0.7 + 0.3 * random.next() : 0.1 * random.next(),
      fatal: fatal ? 0.6 + 0.4 * random.next() : 0.2 * random.next(),
    };
    callsOf.set(caller, [...(callsOf.get(caller) ?? []), call]);
  }
  const nodes = new Set(edges.flatMap(({ caller, callee }) => [caller, callee]));
  for (const { service } of series) nodes.add(service);
  const services = [...nodes].filter((node) => !isTransport(node) && rate(node) >= 2).sort();
  const hiddenBehind = new Map<string, string>();
  for (const node of [...nodes].filter(isTransport).sort()) {
    const hidden = services.find((service) => standsBefore(node, service));
    if (hidden !== undefined) hiddenBehind.set(node, hidden);
  }
  return { services, callsOf, hiddenBehind, requests };
}

/** `servi-searc.us-west-2.elb…_remote` is in front of PetSearch, `X_client` of X, `execute-api…` of the API gateway. */
function standsBefore(transport: string, service: string): boolean {
  const name = service.toLowerCase();
  const client = /^(.+)_client$/i.exec(transport)?.[1]?.toLowerCase();
  if (client !== undefined) return name.startsWith(client);
  const balancer = /^[a-z]+-([a-z]+)\..*elb\./i.exec(transport)?.[1]?.toLowerCase();
  if (balancer !== undefined) return name.includes(balancer);
  return /^execute-api\./i.test(transport) && name.includes('apigateway');
}

/** Every service from which the given one is reached by calls, itself included. */
export function upstreamOf(model: CallModel, service: string): string[] {
  const found = new Set([service]);
  for (let grown = true; grown;) {
    grown = false;
    for (const [caller, calls] of model.callsOf) {
      if (found.has(caller) || !calls.some(({ callee }) => found.has(callee))) continue;
      found.add(caller);
      grown = true;
    }
  }
  return [...found].filter((node) => model.services.includes(node)).sort();
}
