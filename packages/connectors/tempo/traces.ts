/** Tempo's traces, which are in OpenTelemetry's JSON, in the common form. */
import pMap from 'p-map';
import { z } from 'zod';
import { QueryError, type OperationContext } from '../connector.ts';
import { parseAnswer } from '../shared/http-api/answers.ts';
import type { HttpApi } from '../shared/http-api/index.ts';
import { isAboutSpan, spanKind, type TraceQuery, type TraceReader, type TraceSpan } from '../shared/traces/index.ts';

/** Whole traces are read one by one. */
const CONCURRENCY = 8;
const MAX_TRACES = 200;

const attribute = z.object({ key: z.string(), value: z.object({ stringValue: z.string().optional() }) });
const otlpSpan = z.object({
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string().default(''),
  kind: z.union([z.string(), z.number()]).optional(),
  startTimeUnixNano: z.union([z.string(), z.number()]),
  endTimeUnixNano: z.union([z.string(), z.number()]),
  status: z.object({ code: z.union([z.string(), z.number()]).optional() }).nullish(),
});
const scope = z.object({ spans: z.array(otlpSpan).optional() });
const batch = z.object({
  resource: z.object({ attributes: z.array(attribute).optional() }).optional(),
  scopeSpans: z.array(scope).optional(),
  /** What scopes were called before. */
  instrumentationLibrarySpans: z.array(scope).optional(),
});
const batches = z.array(batch).optional();
/** The first version of the API, and OpenTelemetry's own name of the list. */
const otlpTrace = z.object({ batches, resourceSpans: batches });
const searched = z.object({ traces: z.array(z.object({ traceID: z.string() })).nullish() });
const tagValues = z.object({ tagValues: z.array(z.object({ value: z.string() })).nullish() });

export function tempoTraces(http: HttpApi): TraceReader {
  const ask = async <Schema extends z.ZodType>(
    path: string[],
    query: Record<string, string | number>,
    schema: Schema,
    context: OperationContext,
  ): Promise<z.output<Schema>> => {
    return parseAnswer(schema, await http.json({ path: ['api', ...path], query }, context), http.place);
  };

  const trace = async (traceId: string, context: OperationContext): Promise<TraceSpan[]> =>
    toSpans(traceId, await ask(['traces', traceId], {}, otlpTrace, context));

  return {
    place: http.place,
    trace,

    async services(context) {
      const path = ['v2', 'search', 'tag', 'resource.service.name', 'values'];
      const found = (await ask(path, {}, tagValues, context)).tagValues ?? [];
      return found.map(({ value }) => value).sort();
    },

    async find(query, context) {
      const limit = Math.min(MAX_TRACES, query.limit);
      // Tempo accepts whole seconds only.
      const range = { start: Math.floor(query.from), end: Math.ceil(query.to) };
      const { traces } = await ask(['search'], { q: traceQl(query), ...range, limit }, searched, context);
      const ids = (traces ?? []).map(({ traceID }) => traceID);
      const read = await pMap(ids, (id) => traceIfThere(id), { concurrency: CONCURRENCY, signal: context.signal });
      return { traces: read.filter(({ length }) => length > 0), more: ids.length >= limit };

      /** It may have been deleted since it was found. */
      async function traceIfThere(id: string): Promise<TraceSpan[]> {
        try {
          return await trace(id, context);
        } catch (error) {
          if (error instanceof QueryError && error.code === 'not_found') return [];
          throw error;
        }
      }
    },
  };
}

/** A query in TraceQL. Whether a whole trace is free of errors cannot be asked. */
function traceQl(query: TraceQuery): string {
  const { service, operation, min_duration_ms: least, max_duration_ms: most, status } = query;
  const duration = isAboutSpan(query) ? 'duration' : 'traceDuration';
  const conditions = [
    service !== undefined && `resource.service.name = ${quote(service)}`,
    operation !== undefined && `name = ${quote(operation)}`,
    least !== undefined && `${duration} >= ${Math.floor(least * 1000)}us`,
    most !== undefined && `${duration} <= ${Math.ceil(most * 1000)}us`,
    status === 'error' && 'status = error',
    status === 'ok' && isAboutSpan(query) && 'status != error',
  ].filter((condition) => condition !== false);
  return conditions.length === 0 ? '{}' : `{ ${conditions.join(' && ')} }`;
}

/** JSON's escapes are those of TraceQL, which uses Go's strings; but lone surrogates are no text. */
const quote = (text: string): string => JSON.stringify(text.toWellFormed());

function toSpans(traceId: string, answer: z.output<typeof otlpTrace>): TraceSpan[] {
  return [...(answer.batches ?? []), ...(answer.resourceSpans ?? [])].flatMap((of) => {
    const service = of.resource?.attributes?.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
    const scopes = [...(of.scopeSpans ?? []), ...(of.instrumentationLibrarySpans ?? [])];
    return scopes.flatMap(({ spans = [] }) => spans.map((span) => toSpan(traceId, service, span)));
  });
}

function toSpan(traceId: string, service: string, span: z.output<typeof otlpSpan>): TraceSpan {
  const [start, end] = [span.startTimeUnixNano, span.endTimeUnixNano].map(
    (nanoseconds) => Number(BigInt(nanoseconds) / 1000n) / 1e6,
  );
  const kind = typeof span.kind === 'number' ? KINDS[span.kind] : spanKind(span.kind);
  const status = statusOf(span.status?.code);
  return {
    trace_id: traceId,
    span_id: toHex(span.spanId),
    ...(span.parentSpanId && { parent_id: toHex(span.parentSpanId) }),
    service,
    operation: span.name,
    start: start!,
    duration_ms: Math.max(0, Math.round((end! - start!) * 1e6) / 1e3),
    ...(kind && { kind }),
    ...(status && { status }),
  };
}

/** OpenTelemetry's numbers. */
const KINDS = [undefined, 'internal', 'server', 'client', 'producer', 'consumer'] as const;

function statusOf(code: string | number | undefined): TraceSpan['status'] {
  if (code === 2 || code === 'STATUS_CODE_ERROR') return 'error';
  return code === 1 || code === 'STATUS_CODE_OK' ? 'ok' : undefined;
}

/** Protobuf's JSON has bytes in base64, OpenTelemetry's has ids in hexadecimal digits. */
function toHex(id: string): string {
  return /^[0-9a-f]{16}$/iu.test(id) ? id.toLowerCase() : Buffer.from(id, 'base64').toString('hex');
}
