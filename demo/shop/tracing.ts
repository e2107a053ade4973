/** Traces of a service of the shop, by OpenTelemetry's own SDK: W3C trace context between services, OTLP to Jaeger. */
import type { IncomingHttpHeaders } from 'node:http';
import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { messageOf } from '../../src/platform/message-of.ts';

/** Sooner than the SDK's five seconds: an investigation begins as soon as the alert fires. */
const EXPORT_MS = 500;

export interface ShopTracing {
  /** A request that came in, as the caller's headers tell. It has failed if its status is 500 or more. */
  serve(name: string, headers: IncomingHttpHeaders, work: (context: Context) => Promise<number>): Promise<number>;
  /** Work on another system: a service, a database. It has failed if it throws. */
  call<T>(name: string, within: Context, work: (context: Context) => Promise<T>): Promise<T>;
  /** The headers by which the next service continues the trace. */
  headersOf(context: Context): Record<string, string>;
  /** Sends what has not been sent yet. */
  end(): Promise<void>;
}

/** @param otlpUrl base URL of a receiver; undefined: spans are made, and go nowhere */
export function createShopTracing(service: string, otlpUrl: string | undefined): ShopTracing {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    spanProcessors:
      otlpUrl === undefined
        ? []
        : [
            new BatchSpanProcessor({
              exporter: new OTLPTraceExporter({ url: `${otlpUrl}/v1/traces` }),
              scheduledDelayMillis: EXPORT_MS,
            }),
          ],
  });
  const tracer = provider.getTracer('demo-shop');
  const propagator = new W3CTraceContextPropagator();

  return {
    async serve(name, headers, work) {
      const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER }, parent);
      try {
        const status = await work(trace.setSpan(parent, span));
        span.setAttribute('http.response.status_code', status);
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        return status;
      } finally {
        span.end();
      }
    },
    async call(name, within, work) {
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT }, within);
      try {
        return await work(trace.setSpan(within, span));
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(error) });
        throw error;
      } finally {
        span.end();
      }
    },
    headersOf(context) {
      const headers: Record<string, string> = {};
      propagator.inject(context, headers, defaultTextMapSetter);
      return headers;
    },
    end: () => provider.shutdown(),
  };
}
