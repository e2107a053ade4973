/** How much of each service's work suffers when one service fails. Pure. */
import type { CallGraph } from './call-graph.ts';

/** How much each call contributes to the failures of its caller; computed once per graph. */
export interface Load {
  /** Calls per second that each service answers; NaN if unknown. */
  throughput: Float64Array;
  /** For each edge, the share of the caller's work that needs the call, 0 to 1. */
  weights: Float64Array;
}

export interface Impact {
  /** The affected share of each service's work, 0 to 1. */
  share: Float64Array;
  /** False when iteration over cycles stopped before the shares converged: they are a little low then. */
  settled: boolean;
}

/**
 * Throughput of U is the rate of the calls into it, or, if it has no (other) callers, the rate of its most frequent
 * call: a page that makes ten calls is one page. A call to C then weighs min(1, rate(U, C) / throughput(U)). A call of
 * unknown rate weighs 1, because the estimate is an upper one. Calls of a service to itself do not count.
 */
export function loadOf(graph: CallGraph): Load {
  const { services, offsets, callees, rates } = graph;
  const throughput = new Float64Array(services).fill(Number.NaN);
  const largest = new Float64Array(services).fill(Number.NaN);
  for (let caller = 0; caller < services; caller++) {
    for (let edge = offsets[caller]!; edge < offsets[caller + 1]!; edge++) {
      const rate = rates[edge]!;
      const callee = callees[edge]!;
      if (callee === caller || Number.isNaN(rate)) continue;
      throughput[callee] = (Number.isNaN(throughput[callee]!) ? 0 : throughput[callee]!) + rate;
      if (!(largest[caller]! >= rate)) largest[caller] = rate;
    }
  }
  const weights = new Float64Array(callees.length);
  for (let caller = 0; caller < services; caller++) {
    if (Number.isNaN(throughput[caller]!)) throughput[caller] = largest[caller]!;
    for (let edge = offsets[caller]!; edge < offsets[caller + 1]!; edge++) {
      weights[edge] = callees[edge] === caller ? 0 : weightOf(rates[edge]!, throughput[caller]!);
    }
  }
  return { throughput, weights };
}

function weightOf(rate: number, throughput: number): number {
  if (Number.isNaN(rate)) return 1;
  return rate === 0 ? 0 : Math.min(1, rate / throughput);
}

/** Smaller changes of a share do not count as changes. */
const TOLERANCE = 1e-6;
/** Edge visits allowed per edge of the graph: enough for all but cycles in which nearly every call is passed on. */
const MAX_ROUNDS = 60;
const MIN_VISITS = 1_000_000;

/**
 * The affected share of each service's work when `failed` fails: an upper estimate, which assumes that every call is
 * needed and that calls fail independently of each other.
 * p(failed) = 1; p(U) = 1 - Π over its callees C of (1 - w(U, C) · p(C)), with w as in {@link loadOf}. The least
 * solution is approached from below by recomputing a service each time one of its callees changes. It exists even with
 * cycles, since p(U) never falls when a p(C) rises and never exceeds 1.
 */
export function impactOf(graph: CallGraph, { weights }: Load, failed: number): Impact {
  const { services, offsets, callees, callerOffsets, callers } = graph;
  const share = new Float64Array(services);
  const isQueued = new Uint8Array(services);
  // A ring: each service is in it at most once.
  const queue = new Uint32Array(services);
  let head = 0;
  let queued = 0;
  const queueCallers = (of: number): void => {
    for (let place = callerOffsets[of]!; place < callerOffsets[of + 1]!; place++) {
      const caller = callers[place]!;
      if (isQueued[caller] === 1 || caller === failed) continue;
      isQueued[caller] = 1;
      queue[(head + queued++) % services] = caller;
    }
  };
  share[failed] = 1;
  queueCallers(failed);
  let visits = Math.max(MIN_VISITS, MAX_ROUNDS * callees.length);
  while (queued > 0 && visits > 0) {
    const at = queue[head]!;
    head = (head + 1) % services;
    queued--;
    isQueued[at] = 0;
    let unaffected = 1;
    const end = offsets[at + 1]!;
    for (let edge = offsets[at]!; edge < end; edge++) unaffected *= 1 - weights[edge]! * share[callees[edge]!]!;
    visits -= end - offsets[at]! + 1;
    if (1 - unaffected <= share[at]! + TOLERANCE) continue;
    share[at] = 1 - unaffected;
    queueCallers(at);
  }
  return { share, settled: queued === 0 };
}
