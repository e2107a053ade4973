/** Jaeger's traces in the common form. */
import { z } from 'zod';
import type { OperationContext } from '../connector.ts';
import { dataOf, parseAnswer } from '../shared/http-api/answers.ts';
import type { HttpApi, Query } from '../shared/http-api/index.ts';
import { toGoDuration } from '../shared/http-api/parameters.ts';
import { isAboutSpan, spanKind, type TraceQuery, type TraceReader, type TraceSpan } from '../shared/traces/index.ts';

/** Jaeger finds traces by service: without one, each of this many is asked for. */
const MAX_SERVICES = 30;
const MAX_TRACES_PER_SERVICE = 500;

const jaegerTrace = z.object({
  traceID: z.string(),
  spans: z.array(
    z.object({
      spanID: z.string(),
      operationName: z.string(),
      references: z.array(z.object({ refType: z.string(), traceID: z.string(), spanID: z.string() })).nullish(),
      /** Microseconds. */
      startTime: z.number(),
      duration: z.number(),
      tags: z.array(z.object({ key: z.string(), value: z.unknown() })).nullish(),
      processID: z.string(),
    }),
  ),
  processes: z.record(z.string(), z.object({ serviceName: z.string() })),
});
const jaegerTraceList = z.array(jaegerTrace).nullable();

export function jaegerTraces(http: HttpApi): TraceReader {
  const ask = async <Schema extends z.ZodType>(
    path: string[],
    query: Query,
    schema: Schema,
    context: OperationContext,
  ): Promise<z.output<Schema>> => {
    const answer = await http.json({ path: ['api', ...path], query }, context);
    return parseAnswer(schema, dataOf(answer, http.place), http.place);
  };

  const services = async (context: OperationContext): Promise<string[]> =>
    ((await ask(['services'], {}, z.array(z.string()).nullable(), context)) ?? []).sort();

  return {
    place: http.place,
    services,

    async trace(traceId, context) {
      const found = (await ask(['traces', traceId], {}, jaegerTraceList, context)) ?? [];
      return found.flatMap(toSpans);
    },

    async find(query, context) {
      const known = query.service === undefined ? await services(context) : [query.service];
      const asked = known.slice(0, MAX_SERVICES);
      // The newest of all are among the newest of each service. Where any will do, each service gives its share: most
      // traces have spans of several services, and would be read once for each.
      const wanted = query.any ? Math.ceil(query.limit / Math.max(1, asked.length)) : query.limit;
      const limit = Math.min(MAX_TRACES_PER_SERVICE, wanted);
      const traces = new Map<string, TraceSpan[]>();
      let more = asked.length < known.length;
      for (const service of asked) {
        const found = (await ask(['traces'], parametersOf(query, service, limit), jaegerTraceList, context)) ?? [];
        more ||= found.length >= limit;
        for (const trace of found) if (trace.spans.length > 0) traces.set(trace.traceID, toSpans(trace));
      }
      return { traces: [...traces.values()], more };
    },
  };
}

/** Jaeger's filters are about one span of the service. What they cannot say of a whole trace is left out. */
function parametersOf(query: TraceQuery, service: string, limit: number): Query {
  const { operation, from, to, min_duration_ms: least, max_duration_ms: most, status } = query;
  return {
    service,
    operation,
    start: Math.round(from * 1e6),
    end: Math.round(to * 1e6),
    limit,
    minDuration: toGoDuration(isAboutSpan(query) ? least : undefined),
    maxDuration: toGoDuration(isAboutSpan(query) ? most : undefined),
    tags: status === 'error' ? JSON.stringify({ error: 'true' }) : undefined,
  };
}

function toSpans({ traceID, spans, processes }: z.output<typeof jaegerTrace>): TraceSpan[] {
  return spans.map(({ spanID, operationName, references, startTime, duration, tags, processID }) => {
    // Links to spans of other traces are references, too.
    const parent = references?.find((to) => to.refType === 'CHILD_OF' && to.traceID === traceID);
    const tag = (name: string) => tags?.find(({ key }) => key === name)?.value;
    const kindTag = tag('span.kind');
    const kind = typeof kindTag === 'string' ? spanKind(kindTag) : undefined;
    const status = statusOf(tag('error'), tag('otel.status_code'));
    return {
      trace_id: traceID,
      span_id: spanID,
      ...(parent && { parent_id: parent.spanID }),
      service: processes[processID]?.serviceName ?? '',
      operation: operationName,
      start: startTime / 1e6,
      duration_ms: duration / 1e3,
      ...(kind && { kind }),
      ...(status && { status }),
    };
  });
}

/** @param error OpenTracing's tag @param code OpenTelemetry's status, which need not be set */
function statusOf(error: unknown, code: unknown): TraceSpan['status'] {
  if (error === true || error === 'true' || code === 'ERROR') return 'error';
  return code === 'OK' ? 'ok' : undefined;
}
