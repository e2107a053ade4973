/** Services as their own processes would be: each with its own OpenTelemetry SDK and exporter, context handed on by hand. */
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context, type Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

export interface InstrumentedService {
  tracer: Tracer;
  provider: TracerProvider;
}

export interface Exporting {
  encoding: 'json' | 'protobuf';
  compression: 'gzip' | 'none';
  token?: string;
}

/** An enumeration of a package that only the exporters depend on. */
type Compression = NonNullable<ConstructorParameters<typeof JsonExporter>[0]>['compression'];

/** @param otlpUrl base URL of the receiver */
export function instrument(name: string, otlpUrl: string, exporting: Exporting): InstrumentedService {
  const { encoding, compression, token } = exporting;
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const options = {
    url: `${otlpUrl}/v1/traces`,
    compression: compression as Compression,
    headers: authorization,
  };
  const exporter = encoding === 'json' ? new JsonExporter(options) : new ProtobufExporter(options);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': name }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  return { provider, tracer: provider.getTracer('test') };
}

export interface CallOptions {
  parent?: Context;
  startMs?: number;
  ms?: number;
  failed?: boolean;
  attributes?: Record<string, string>;
}

/** A CLIENT span. @returns the context that travels to the other side */
export function callOut({ tracer }: InstrumentedService, options: CallOptions = {}): Context {
  return record(tracer, SpanKind.CLIENT, options);
}

/** A SERVER span of a call that came with the context. @returns its own, for calls of its own */
export function serve({ tracer }: InstrumentedService, parent: Context, options: CallOptions = {}): Context {
  return record(tracer, SpanKind.SERVER, { ...options, parent });
}

function record(tracer: Tracer, kind: SpanKind, options: CallOptions): Context {
  const { parent = ROOT_CONTEXT, startMs = Date.now(), ms = 5, failed = false, attributes } = options;
  const span = tracer.startSpan('call', { kind, startTime: startMs, attributes }, parent);
  if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(startMs + ms);
  // What crosses the wire is the ids alone.
  return trace.setSpanContext(ROOT_CONTEXT, { ...span.spanContext(), isRemote: true });
}
