/** Traces as connectors answer them, whichever system they come from. */
import type { TraceSpan } from '@casebook/connectors';
import { z } from 'zod';
import type { Span, SpanSample, TelemetrySource, TracePage } from '../port.ts';

/** Spans are numerous and come from our own connectors: they are not validated one by one. */
const spans = z.custom<TraceSpan[]>(Array.isArray).transform((all) => all.map(toSpan));
const page = z.object({
  traces: z.array(
    z
      .object({
        trace_id: z.string(),
        service: z.string(),
        operation: z.string(),
        start: z.number(),
        duration_ms: z.number(),
        spans: z.number(),
        errors: z.number(),
      })
      .transform(({ trace_id: traceId, duration_ms: durationMs, ...rest }) => ({ traceId, durationMs, ...rest })),
  ),
  truncated: z.boolean(),
}) satisfies z.ZodType<TracePage>;
const sample = z.object({ spans, sampled: z.boolean() }) satisfies z.ZodType<SpanSample>;

/** The most that connectors take. */
const MAX_TRACES = 200;
const MAX_SPANS = 500_000;

type Ask = <Schema extends z.ZodType>(
  operation: string,
  parameters: Record<string, unknown>,
  schema: Schema,
  signal: AbortSignal,
) => Promise<z.output<Schema>>;

/** The part of a source that is about traces, by the operations that every connector with traces has. */
export function tracesOver(ask: Ask): Required<Pick<TelemetrySource, 'searchTraces' | 'getTrace' | 'sampleSpans'>> {
  return {
    searchTraces: ({ minDurationMs, maxDurationMs, limit, ...query }, { signal }) =>
      ask(
        'search_traces',
        {
          ...query,
          min_duration_ms: minDurationMs,
          max_duration_ms: maxDurationMs,
          limit: within(limit, MAX_TRACES),
        },
        page,
        signal,
      ),
    getTrace: async (traceId, { signal }) =>
      (await ask('trace_spans', { trace_id: traceId }, spans.nullable(), signal)) ?? undefined,
    sampleSpans: ({ from, to, maxSpans }, { signal }) =>
      ask('sample_spans', { from, to, max_spans: within(maxSpans, MAX_SPANS) }, sample, signal),
  };
}

const within = (count: number, most: number): number => Math.max(1, Math.min(Math.floor(count), most));

function toSpan({ trace_id, span_id, parent_id, duration_ms, ...span }: TraceSpan): Span {
  return {
    traceId: trace_id,
    spanId: span_id,
    ...(parent_id !== undefined && { parentId: parent_id }),
    durationMs: duration_ms,
    ...span,
  };
}
