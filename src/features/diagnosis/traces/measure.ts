import type { Span } from '../types.ts';

/** A span with what it owes to nobody else. */
export interface MeasuredSpan {
  span: Span;
  /** The span that caused it; absent for roots and where it is missing from the data. */
  parent?: Span;
  /** Who decided on it: the parent, or the parent's parent where the parent only carries the call. */
  caller?: Span;
  /**
   * Own time in ms: the duration without the time in which at least one child ran. Absent for a span that only carries
   * one call to another service: its remainder is the edge's.
   */
  selfMs?: number;
  /** Of a call that another service serves: the time in ms between the two, its duration without the server's. */
  edge?: { callee: string; calleeOperation: string; ms: number };
}

/**
 * Splits the time of traces among operations and the edges between services, as critical-path analyses do (Zhang et al.,
 * "CRISP", ATC 2022, without their ordering of siblings): children may overlap, and may outlive their parent.
 */
export function measureSpans(spans: readonly Span[]): MeasuredSpan[] {
  const byTrace = new Map<string, Map<string, Span>>();
  for (const span of spans) {
    const trace = byTrace.get(span.traceId);
    if (trace === undefined) byTrace.set(span.traceId, new Map([[span.spanId, span]]));
    else trace.set(span.spanId, span);
  }
  const measured: MeasuredSpan[] = [];
  for (const trace of byTrace.values()) {
    const children = new Map<string, Span[]>();
    for (const span of trace.values()) {
      if (span.parentId === undefined || span.parentId === span.spanId || !trace.has(span.parentId)) continue;
      const siblings = children.get(span.parentId);
      if (siblings === undefined) children.set(span.parentId, [span]);
      else siblings.push(span);
    }
    const isCall = (span: Span): boolean => {
      const [only, ...others] = children.get(span.spanId) ?? [];
      return only !== undefined && others.length === 0 && only.service !== span.service;
    };
    const calls = Map.groupBy([...trace.values()].filter(isCall), ({ service }) => service);
    const parentOf = ({ parentId }: Span): Span | undefined =>
      parentId === undefined ? undefined : trace.get(parentId);
    for (const span of trace.values()) {
      const parent = parentOf(span);
      const caller = parent && isCall(parent) ? parentOf(parent) : parent;
      const below = children.get(span.spanId) ?? [];
      const own = isCall(span)
        ? edgeTime(span, below[0]!)
        : ownTime(span, [...below, ...(calls.get(span.service) ?? [])]);
      measured.push({ span, ...(parent && { parent }), ...(caller && { caller }), ...own });
    }
  }
  return measured;
}

/** Clocks of two machines differ, durations do not: the difference of durations needs no synchronized time. */
function edgeTime(call: Span, served: Span): Pick<MeasuredSpan, 'edge'> {
  const ms = Math.max(0, call.durationMs - served.durationMs);
  return { edge: { callee: served.service, calleeOperation: served.operation, ms } };
}

/**
 * The duration without the time in which a child ran, or the service waited for another: spans that only wait for such
 * a call need not be its parents (reactive gateways).
 */
function ownTime(span: Span, others: readonly Span[]): Pick<MeasuredSpan, 'selfMs'> {
  return { selfMs: others.length === 0 ? span.durationMs : Math.max(0, span.durationMs - coveredMs(span, others)) };
}

/** The time in ms in which at least one of the others ran, within the span. */
function coveredMs(span: Span, others: readonly Span[]): number {
  const end = span.start + span.durationMs / 1000;
  let covered = 0;
  let until = span.start;
  for (const child of [...others].sort((a, b) => a.start - b.start)) {
    const from = Math.max(until, child.start);
    const to = Math.min(end, child.start + child.durationMs / 1000);
    if (to <= from) continue;
    covered += to - from;
    until = to;
  }
  return covered * 1000;
}
