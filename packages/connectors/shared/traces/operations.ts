/** Operations that serve the telemetry sources, with the same parameters and answers for every system with traces. */
import { z } from 'zod';
import { defineOperation, QueryError, type ConnectorOperation, type OperationContext } from '../../connector.ts';
import { unixSeconds } from '../http-api/parameters.ts';
import { sampleTraces } from './sample.ts';
import { isAboutSpan, spanMatches, summaryOf, traceMatches, type TraceFilter, type TraceSpan } from './span.ts';

const name = z.string().min(1).max(2_000);
export const spanFilter = {
  service: name.optional().describe('traces with a span of this service; the other filters apply to that span'),
  operation: name.optional().describe('likewise; without service and operation the filters apply to the whole trace'),
  min_duration_ms: z.number().min(0).optional(),
  max_duration_ms: z.number().min(0).optional(),
  status: z.enum(['ok', 'error']).optional(),
};
/** Each trace is read whole. */
const MAX_TRACES = 200;
export const MAX_SAMPLED_SPANS = 500_000;

export interface TraceQuery extends TraceFilter {
  /** Unix seconds. */
  from: number;
  to: number;
  limit: number;
  /** Any traces that match will do, not the newest only. */
  any?: boolean;
}

export interface FoundTraces {
  /** Each with at least one span. */
  traces: TraceSpan[][];
  /** There are, or may be, more than these. */
  more: boolean;
}

/** How one system finds traces. */
export interface TraceReader {
  /** The system, for people. */
  place: string;
  services(context: OperationContext): Promise<string[]>;
  /** About `limit` whole traces of a time range that may match: what the system cannot filter by, it ignores. */
  find(query: TraceQuery, context: OperationContext): Promise<FoundTraces>;
  /** All spans of one trace. @throws {QueryError} `not_found` */
  trace(traceId: string, context: OperationContext): Promise<TraceSpan[]>;
}

export function traceOperations(reader: TraceReader): ConnectorOperation[] {
  const { place } = reader;
  return [
    defineOperation({
      name: 'search_traces',
      description: `Summaries of traces in ${place}; the newest if there are too many.`,
      tool: false,
      parameters: z.strictObject({
        ...spanFilter,
        from: unixSeconds,
        to: unixSeconds,
        limit: z.number().int().min(1).max(MAX_TRACES).default(20),
      }),
      async run(query, context) {
        const { traces, more } = await reader.find(query, context);
        const found = traces
          .filter((spans) => !isAboutSpan(query) || spans.some((span) => spanMatches(span, query)))
          .map(summaryOf)
          .filter((summary) => isAboutSpan(query) || traceMatches(summary, query))
          .sort((a, b) => a.start - b.start);
        return { traces: found.slice(-query.limit), truncated: more || found.length > query.limit };
      },
    }),
    defineOperation({
      name: 'trace_spans',
      description: `The spans of one trace in ${place}, in order of time; null if there is no such trace.`,
      tool: false,
      parameters: z.strictObject({ trace_id: z.string().regex(/^[0-9a-fA-F]{1,32}$/u, 'must be hexadecimal') }),
      async run({ trace_id: id }, context) {
        try {
          return (await reader.trace(id, context)).sort((a, b) => a.start - b.start);
        } catch (error) {
          if (error instanceof QueryError && error.code === 'not_found') return null;
          throw error;
        }
      },
    }),
    defineOperation({
      name: 'sample_spans',
      description: `Spans of whole traces in ${place}, spread evenly over a time range.`,
      tool: false,
      parameters: z.strictObject({
        from: unixSeconds,
        to: unixSeconds,
        max_spans: z.number().int().min(1).max(MAX_SAMPLED_SPANS),
      }),
      run({ from, to, max_spans: maxSpans }, context) {
        const find = (slice: TraceQuery) => reader.find({ ...slice, any: true }, context);
        return sampleTraces(find, { from, to }, { ...context, maxSpans });
      },
    }),
    defineOperation({
      name: 'traced_services',
      description: `Names of the services with spans in ${place}.`,
      tool: false,
      parameters: z.strictObject({}),
      run: (_, context) => reader.services(context),
    }),
  ];
}
