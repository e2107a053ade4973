/** Traces in one form, whichever system they come from. */

export interface TraceSpan {
  trace_id: string;
  span_id: string;
  parent_id?: string;
  service: string;
  operation: string;
  /** Unix seconds. */
  start: number;
  duration_ms: number;
  kind?: SpanKind;
  /** Absent when the system does not say. */
  status?: 'ok' | 'error';
}

export const SPAN_KINDS = ['server', 'client', 'producer', 'consumer', 'internal'] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

/** The kind in any of the ways it is written: `server`, `SERVER`, `SPAN_KIND_SERVER`; undefined for another word. */
export function spanKind(word: string | undefined): SpanKind | undefined {
  const plain = word?.toLowerCase().replace(/^span_kind_/u, '');
  return SPAN_KINDS.find((kind) => kind === plain);
}

export interface TraceSummary {
  trace_id: string;
  /** Of the root span; where it is missing, of the earliest span. */
  service: string;
  operation: string;
  /** Unix seconds. */
  start: number;
  duration_ms: number;
  spans: number;
  errors: number;
}

/** What a search asks of a trace. */
export interface TraceFilter {
  service?: string;
  operation?: string;
  min_duration_ms?: number;
  max_duration_ms?: number;
  status?: 'ok' | 'error';
}

/**
 * Sums up the spans of one trace as they come, in any order.
 * @returns a function that adds a span, and the summary, which is current at all times
 */
export function summarizeTrace(first: TraceSpan): { summary: TraceSummary; add(span: TraceSpan): void } {
  const { trace_id, service, operation, start } = first;
  const summary: TraceSummary = { trace_id, service, operation, start, duration_ms: 0, spans: 0, errors: 0 };
  let end = start;
  let named: TraceSpan | undefined;
  const add = (span: TraceSpan): void => {
    summary.spans++;
    if (span.status === 'error') summary.errors++;
    summary.start = Math.min(summary.start, span.start);
    end = Math.max(end, span.start + span.duration_ms / 1000);
    // To the microsecond, which is what a double of unix seconds can hold.
    summary.duration_ms = Math.round((end - summary.start) * 1e6) / 1e3;
    if (named && !namesBetter(span, named)) return;
    named = span;
    Object.assign(summary, { service: span.service, operation: span.operation });
  };
  add(first);
  return { summary, add };
}

/** The root's name is the trace's; without a root, the earliest span's. */
function namesBetter(span: TraceSpan, than: TraceSpan): boolean {
  const isRoot = span.parent_id === undefined;
  return isRoot === (than.parent_id === undefined) ? span.start < than.start : isRoot;
}

/** @param spans of one trace, at least one */
export function summaryOf(spans: readonly TraceSpan[]): TraceSummary {
  const [first, ...others] = spans;
  const { summary, add } = summarizeTrace(first!);
  for (const span of others) add(span);
  return summary;
}

/** Whether a filter is about one span of a trace, and not about the trace as a whole. */
export const isAboutSpan = ({ service, operation }: TraceFilter): boolean =>
  service !== undefined || operation !== undefined;

/** Whether a span is of the service and operation, and has the duration and status. */
export function spanMatches(span: TraceSpan, filter: TraceFilter): boolean {
  if (filter.service !== undefined && span.service !== filter.service) return false;
  if (filter.operation !== undefined && span.operation !== filter.operation) return false;
  return isAsked(span.duration_ms, span.status === 'error', filter);
}

/** Whether a trace as a whole has the duration and status; it has failed if one of its spans has. */
export function traceMatches({ duration_ms: duration, errors }: TraceSummary, filter: TraceFilter): boolean {
  return isAsked(duration, errors > 0, filter);
}

function isAsked(durationMs: number, failed: boolean, filter: TraceFilter): boolean {
  const { min_duration_ms: least = 0, max_duration_ms: most = Infinity, status } = filter;
  return durationMs >= least && durationMs <= most && (status === undefined || failed === (status === 'error'));
}
