/**
 * Export requests in OTLP's JSON encoding: lowerCamelCase names, hexadecimal ids, 64-bit integers as text, enumerations
 * as numbers, unknown members ignored (opentelemetry.io/docs/specs/otlp, "JSON Protobuf Encoding").
 */
import { JsonReader, members } from './json-reader.ts';
import {
  MAX_LINKS,
  PEER_ATTRIBUTES,
  STATUS_ERROR,
  keep,
  receive,
  type PendingSpans,
  newSpan,
  type RawSpan,
  type ReceivedSpans,
} from './span.ts';

/** @throws SyntaxError or TypeError when the text is not an ExportTraceServiceRequest */
export function decodeJson(body: Uint8Array): ReceivedSpans {
  const received: ReceivedSpans = { spans: [], rejected: 0 };
  const json = new JsonReader(new TextDecoder('utf-8', { fatal: true }).decode(body));
  json.object(REQUEST, received);
  json.end();
  return received;
}

interface ResourceSpans extends PendingSpans {
  service?: string;
}

/** A span being read. */
interface TimedSpan {
  span: RawSpan;
  start?: unknown;
  end?: unknown;
}

interface Ids {
  traceId: string;
  spanId: string;
}

interface Attribute {
  key?: unknown;
  /** Position of the value, which may precede its key. */
  valueAt?: number;
}

const REQUEST = members<ReceivedSpans>({
  resourceSpans: (json, received) =>
    json.list(() => {
      const pending = json.object<ResourceSpans>(RESOURCE_SPANS, { spans: [], rejected: 0 });
      receive(received, pending.service, pending);
    }),
});

const RESOURCE_SPANS = members<ResourceSpans>({
  resource: (json, into) => void json.optionalObject(RESOURCE, into),
  scopeSpans: (json, into) => json.list(() => json.object(SCOPE_SPANS, into)),
});

const RESOURCE = members<ResourceSpans>({
  attributes: (json, into) =>
    json.list(() => {
      into.service = readAttribute(json, (key) => key === 'service.name')?.value ?? into.service;
    }),
});

const SCOPE_SPANS = members<ResourceSpans>({
  spans: (json, pending) => json.list(() => keep(pending, readSpan(json))),
});

const SPAN = members<TimedSpan>({
  traceId: (json, { span }) => void (span.traceId = hex(json.scalar())),
  spanId: (json, { span }) => void (span.spanId = hex(json.scalar())),
  parentSpanId: (json, { span }) => void (span.parentSpanId = hex(json.scalar())),
  kind: (json, { span }) => void (span.kind = Number(json.scalar())),
  startTimeUnixNano: (json, into) => void (into.start = json.scalar()),
  endTimeUnixNano: (json, into) => void (into.end = json.scalar()),
  status: (json, { span }) => void json.optionalObject(STATUS, span),
  attributes: (json, { span }) =>
    json.list(() => {
      const attribute = readAttribute(json, (key) => PEER_ATTRIBUTES.has(key));
      if (attribute) span.attributes.set(attribute.key, attribute.value);
    }),
  links: (json, { span }) =>
    json.list(() => {
      if (span.links.length >= MAX_LINKS) return json.skip();
      const { traceId, spanId } = json.object<Ids>(LINK, { traceId: '', spanId: '' });
      return void span.links.push(traceId + spanId);
    }),
});

const LINK = members<Ids>({
  traceId: (json, into) => void (into.traceId = hex(json.scalar())),
  spanId: (json, into) => void (into.spanId = hex(json.scalar())),
});

const STATUS = members<RawSpan>({
  code: (json, span) => void (span.failed = Number(json.scalar()) === STATUS_ERROR),
});

const ATTRIBUTE = members<Attribute>({
  key: (json, into) => void (into.key = json.scalar()),
  value: (json, into) => {
    into.valueAt = json.at;
    json.skip();
  },
});

const VALUE = members<{ text?: unknown }>({
  stringValue: (json, into) => void (into.text = json.scalar()),
});

function readSpan(json: JsonReader): RawSpan {
  const { span, start, end } = json.object<TimedSpan>(SPAN, {
    span: newSpan(),
  });
  span.seconds = secondsBetween(start, end);
  return span;
}

/** An attribute to keep, if its value is text. */
function readAttribute(json: JsonReader, wanted: (key: string) => boolean): { key: string; value: string } | undefined {
  const { key, valueAt } = json.object<Attribute>(ATTRIBUTE, {});
  if (valueAt === undefined || typeof key !== 'string' || !wanted(key)) return undefined;
  const after = json.at;
  json.at = valueAt;
  const { text } = json.optionalObject<{ text?: unknown }>(VALUE, {});
  json.at = after;
  return typeof text === 'string' ? { key, value: text } : undefined;
}

const hex = (id: unknown): string => (typeof id === 'string' ? id.toLowerCase() : '');

/** NaN when either time is invalid: the span is rejected then, not the request. */
function secondsBetween(start: unknown, end: unknown): number {
  const [from, to] = [start, end].map((time) =>
    (typeof time === 'string' && /^\d{1,20}$/u.test(time)) || (Number.isSafeInteger(time) && Number(time) >= 0)
      ? BigInt(String(time))
      : undefined,
  );
  return from === undefined || to === undefined ? Number.NaN : Number(to - from) / 1e9;
}
