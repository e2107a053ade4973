import { information } from './evidence.ts';
import type { EdgeComparison, SpanComparison } from './traces/compare-spans.ts';
import type { CauseEvidence } from './types.ts';

/** A missing or a new call tells that something went wrong before it, not yet where. */
const CALL_WEIGHT = 0.6;

/** What traces say about each service: slowness of its own, and failure, which callers may have inherited. */
export interface TraceEvidence {
  slow: CauseEvidence[];
  failing: CauseEvidence[];
}

export function traceEvidence(comparison: SpanComparison): Map<string, TraceEvidence> {
  const found = new Map<string, TraceEvidence>();
  const of = (service: string): TraceEvidence => {
    let evidence = found.get(service);
    if (evidence === undefined) found.set(service, (evidence = { slow: [], failing: [] }));
    return evidence;
  };
  for (const { service, operation, selfMs, errorShare } of comparison.operations) {
    const { slow, failing } = of(service);
    if (selfMs.score > 0) {
      slow.push({
        kind: 'self_time',
        strength: information(selfMs.score),
        statement: `Self time of \`${operation}\` in ${service} rose from ${ms(selfMs.before)} to ${ms(selfMs.after)}.`,
        operation,
        ...changed(selfMs, 'ms'),
      });
    }
    if (errorShare.score > 0) {
      failing.push({
        kind: 'span_errors',
        strength: information(errorShare.score),
        statement: `Error rate of \`${operation}\` in ${service} rose from ${percent(errorShare.before)} to ${percent(errorShare.after)}.`,
        operation,
        ...changed({ ...errorShare, before: 100 * errorShare.before, after: 100 * errorShare.after }, '%'),
      });
    }
  }
  for (const { caller, callerOperation, callee, operation, perExecution } of comparison.calls) {
    if (perExecution.score === 0) continue;
    const isMissing = perExecution.score < 0;
    const target = callee === caller ? `\`${operation}\`` : `\`${operation}\` of ${callee}`;
    of(caller).failing.push({
      kind: isMissing ? 'missing_calls' : 'new_calls',
      strength: CALL_WEIGHT * information(Math.abs(perExecution.score)),
      statement: `Calls per execution from \`${callerOperation}\` in ${caller} to ${target} went from ${figure(perExecution.before)} to ${figure(perExecution.after)}.`,
      operation: callerOperation,
      caller,
      callee,
      ...changed(perExecution, 'calls per execution'),
    });
  }
  for (const { caller, callerOperation, callee, share } of comparison.endings) {
    if (share.score <= 0) continue;
    of(callee).failing.push({
      kind: 'missing_calls',
      strength: CALL_WEIGHT * information(share.score),
      statement: `\`${callerOperation}\` in ${caller} makes no further calls after ${callee} in ${percent(share.after)} of its executions; ${percent(share.before)} before.`,
      operation: callerOperation,
      caller,
      callee,
      ...changed({ ...share, before: 100 * share.before, after: 100 * share.after }, '%'),
    });
  }
  for (const [service, evidence] of edgeEvidence(comparison.edges)) of(service).slow.push(...evidence);
  for (const { slow, failing } of found.values()) {
    slow.sort((a, b) => b.strength - a.strength);
    failing.sort((a, b) => b.strength - a.strength);
  }
  return found;
}

/**
 * The time between two services is owed to one of them. A service whose calls to several others all got slower at once
 * is starved or cut off itself; only what its calls to one of them exceed the others by is that callee's. The same
 * holds for a callee and its callers.
 */
function edgeEvidence(edges: readonly EdgeComparison[]): Map<string, CauseEvidence[]> {
  const strengthOf = new Map(edges.map((edge) => [edge, information(Math.max(0, edge.edgeMs.score))]));
  const from = groupBy(edges, ({ caller }) => caller);
  const to = groupBy(edges, ({ callee }) => callee);
  const excess = (edge: EdgeComparison, siblings: readonly EdgeComparison[]): number => {
    const others = siblings.filter((other) => other !== edge).map((other) => strengthOf.get(other)!);
    return Math.max(0, strengthOf.get(edge)! - lowerMedian(others));
  };
  const found = new Map<string, CauseEvidence[]>();
  for (const service of new Set([...from.keys(), ...to.keys()])) {
    const incoming = to.get(service) ?? [];
    const outgoing = from.get(service) ?? [];
    const asCallee = weightedMean(
      incoming.map((edge) => [excess(edge, from.get(edge.caller)!), edge.edgeMs.samplesAfter]),
    );
    const asCaller = outgoing.length < 2 ? 0 : lowerMedian(outgoing.map((edge) => excess(edge, to.get(edge.callee)!)));
    const [strength, own] = asCallee >= asCaller ? [asCallee, incoming] : [asCaller, outgoing];
    if (strength <= 0) continue;
    const [loudest] = own.toSorted((a, b) => strengthOf.get(b)! - strengthOf.get(a)!);
    const { caller, callee, edgeMs } = loudest!;
    found.set(service, [
      {
        kind: 'edge_time',
        strength,
        statement: `Network time from ${caller} to ${callee} rose from ${ms(edgeMs.before)} to ${ms(edgeMs.after)}.`,
        caller,
        callee,
        ...changed(edgeMs, 'ms'),
      },
    ]);
  }
  return found;
}

function changed(change: { before: number; after: number; onset?: number }, unit: string) {
  const { before, after, onset } = change;
  return { before, after, unit, ...(onset !== undefined && { onset }) };
}

function groupBy<Value>(values: readonly Value[], key: (value: Value) => string): Map<string, Value[]> {
  return Map.groupBy(values, key);
}

/** 0 when there are none. */
function lowerMedian(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? 0;
}

function weightedMean(values: ReadonlyArray<readonly [value: number, weight: number]>): number {
  let sum = 0;
  let weights = 0;
  for (const [value, weight] of values) {
    sum += value * weight;
    weights += weight;
  }
  return weights === 0 ? 0 : sum / weights;
}

const figure = (value: number): string => (Number.isFinite(value) ? String(Number(value.toPrecision(2))) : 'unknown');
const ms = (value: number): string => `${value >= 100 ? Math.round(value) : figure(value)} ms`;
const percent = (share: number): string => `${figure(100 * share)} %`;
