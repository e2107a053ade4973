import { changeOf, type Change, type ChangeWindows, type Observations } from '../change.ts';
import { quantile } from '../statistics.ts';
import type { Span, TimeWindow } from '../types.ts';
import { isDuring } from '../windows.ts';
import { measureSpans, type MeasuredSpan } from './measure.ts';

/** One operation of a service, incident against baseline. */
export interface OperationComparison {
  service: string;
  operation: string;
  /** Own time in ms: without that of calls. */
  selfMs: Change;
  /** Executions in a trace, over all traces. */
  callsPerTrace: Change;
  /** Share of executions that failed, 0 to 1. */
  errorShare: Change;
}

/** Calls from one service to another. */
export interface EdgeComparison {
  caller: string;
  callee: string;
  /** Time in ms between the caller's span and the callee's. */
  edgeMs: Change;
}

/** What one operation calls, per execution of it. */
export interface CallComparison {
  caller: string;
  callerOperation: string;
  callee: string;
  operation: string;
  perExecution: Change;
}

/** How often an execution calls nobody after its call to `callee`: it stops where an answer is wrong or missing. */
export interface EndingComparison {
  caller: string;
  callerOperation: string;
  callee: string;
  /** Of the executions that call `callee` or anyone, 0 to 1. */
  share: Change;
}

export interface SpanComparison {
  traces: { before: number; after: number };
  operations: OperationComparison[];
  edges: EdgeComparison[];
  calls: CallComparison[];
  endings: EndingComparison[];
}

/** Times are recorded to about this many ms, and vary by as much on any machine. */
const LEAST_MS = 0.5;
/** Nobody notices a change of less than this share of the time a request takes. */
const LEAST_REQUEST_SHARE = 0.05;
const LEAST_TIME_SHARE = 0.2;
const LEAST_CALLS = 0.05;
const LEAST_ERROR_SHARE = 0.005;

/**
 * How traces of an incident differ from those of a healthy period. Pure; spans outside both windows are ignored. A
 * trace counts at the time of its earliest span. Rows are in no order.
 */
export function compareSpans(spans: readonly Span[], windows: ChangeWindows): SpanComparison {
  const measured = measureSpans(spans);
  const starts = traceStarts(spans);
  const leastMs = Math.max(LEAST_MS, LEAST_REQUEST_SHARE * requestMs(measured, windows.baseline));
  const time = { windows, statistic: 'median', leastSpread: leastMs, leastShare: LEAST_TIME_SHARE } as const;
  const share = { windows, statistic: 'mean', leastSpread: LEAST_ERROR_SHARE, leastShare: 0 } as const;
  const calls = { windows, statistic: 'mean', leastSpread: LEAST_CALLS, leastShare: LEAST_CALLS } as const;
  const operations = new Map<string, { of: MeasuredSpan[]; perTrace: Map<string, number> }>();
  const edges = new Map<string, { caller: string; callee: string; times: Observations }>();
  for (const one of measured) {
    const { span, edge } = one;
    const row = entry(operations, keyOf(span.service, span.operation), () => ({ of: [], perTrace: new Map() }));
    row.of.push(one);
    row.perTrace.set(span.traceId, (row.perTrace.get(span.traceId) ?? 0) + 1);
    if (edge === undefined) continue;
    const ends = { caller: span.service, callee: edge.callee };
    const { times } = entry(edges, keyOf(ends.caller, ends.callee), () => ({ ...ends, times: { at: [], values: [] } }));
    times.at.push(span.start);
    times.values.push(edge.ms);
  }
  const traces = { before: 0, after: 0 };
  for (const at of starts.values()) {
    if (isDuring(at, windows.baseline)) traces.before++;
    else if (isDuring(at, windows.incident)) traces.after++;
  }
  return {
    traces,
    operations: [...operations.values()].map(({ of, perTrace }) => ({
      service: of[0]!.span.service,
      operation: of[0]!.span.operation,
      selfMs: changeOf(
        observe(
          of.filter(({ selfMs }) => selfMs !== undefined),
          ({ selfMs }) => selfMs!,
        ),
        time,
      ),
      callsPerTrace: changeOf(perTraceOf(starts, perTrace), calls),
      errorShare: changeOf(
        observe(of, ({ span }) => (span.status === 'error' ? 1 : 0)),
        share,
      ),
    })),
    edges: [...edges.values()].map(({ caller, callee, times }) => {
      const isNew = !times.at.some((at) => isDuring(at, windows.baseline));
      return { caller, callee, edgeMs: changeOf(isNew ? withHealthOf(edges.values(), times, windows) : times, time) };
    }),
    calls: compareCalls(measured, (observed) => changeOf(observed, calls)),
    endings: compareEndings(measured, (observed) => changeOf(observed, calls)),
  };
}

/** Between services that did not call each other before, health is what it is between the others: the same network. */
function withHealthOf(
  edges: Iterable<{ times: Observations }>,
  times: Observations,
  { baseline }: ChangeWindows,
): Observations {
  const all: Observations = { at: [...times.at], values: [...times.values] };
  for (const { times: other } of edges) {
    for (let i = 0; i < other.at.length; i++) {
      if (!isDuring(other.at[i]!, baseline)) continue;
      all.at.push(other.at[i]!);
      all.values.push(other.values[i]!);
    }
  }
  return all;
}

function compareCalls(
  measured: readonly MeasuredSpan[],
  compare: (observed: Observations) => Change,
): CallComparison[] {
  const executions = new Map<string, Span[]>();
  const calls = new Map<string, { parent: Span; child: Span; count: Map<Span, number> }>();
  for (const { span, caller } of measured) {
    entry(executions, keyOf(span.service, span.operation), () => []).push(span);
    if (caller === undefined) continue;
    const key = keyOf(caller.service, caller.operation, span.service, span.operation);
    const { count } = entry(calls, key, () => ({ parent: caller, child: span, count: new Map() }));
    count.set(caller, (count.get(caller) ?? 0) + 1);
  }
  return [...calls.values()].map(({ parent, child, count }) => {
    const made = executions.get(keyOf(parent.service, parent.operation)) ?? [];
    return {
      caller: parent.service,
      callerOperation: parent.operation,
      callee: child.service,
      operation: child.operation,
      perExecution: compare({
        at: made.map(({ start }) => start),
        values: made.map((execution) => count.get(execution) ?? 0),
      }),
    };
  });
}

/** Only executions that usually call several services can stop early. */
function compareEndings(
  measured: readonly MeasuredSpan[],
  compare: (observed: Observations) => Change,
): EndingComparison[] {
  const lastCall = new Map<Span, Span>();
  const callees = new Map<string, Set<string>>();
  for (const { span, parent, caller } of measured) {
    if (caller === undefined || parent?.service === span.service) continue;
    const last = lastCall.get(caller);
    if (last === undefined || span.start > last.start) lastCall.set(caller, span);
    entry(callees, keyOf(caller.service, caller.operation), () => new Set()).add(span.service);
  }
  const executions = Map.groupBy(lastCall, ([{ service, operation }]) => keyOf(service, operation));
  return [...executions].flatMap(([key, made]) => {
    const called = callees.get(key)!;
    if (called.size < 2) return [];
    const { service, operation } = made[0]![0];
    const at = made.map(([execution]) => execution.start);
    return [...called].map((callee) => ({
      caller: service,
      callerOperation: operation,
      callee,
      share: compare({ at, values: made.map(([, last]) => (last.service === callee ? 1 : 0)) }),
    }));
  });
}

/** Median duration of the healthy traces' roots in ms; 0 when there are none. */
function requestMs(measured: readonly MeasuredSpan[], healthy: TimeWindow): number {
  const durations = measured.flatMap(({ span, parent }) =>
    parent === undefined && isDuring(span.start, healthy) ? [span.durationMs] : [],
  );
  return durations.length === 0 ? 0 : quantile(durations, 0.5);
}

function traceStarts(spans: readonly Span[]): Map<string, number> {
  const starts = new Map<string, number>();
  for (const { traceId, start } of spans) {
    const known = starts.get(traceId);
    if (known === undefined || start < known) starts.set(traceId, start);
  }
  return starts;
}

function perTraceOf(starts: ReadonlyMap<string, number>, count: ReadonlyMap<string, number>): Observations {
  const at = [...starts.values()];
  return { at, values: [...starts.keys()].map((traceId) => count.get(traceId) ?? 0) };
}

function observe(spans: readonly MeasuredSpan[], value: (span: MeasuredSpan) => number): Observations {
  return { at: spans.map(({ span }) => span.start), values: spans.map(value) };
}

function entry<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = create()));
  return value;
}

function keyOf(...parts: string[]): string {
  return parts.join('\u0000');
}
