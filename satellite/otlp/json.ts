/**
 * Export requests in OTLP's JSON: lowerCamelCase names, ids in hexadecimal digits, 64-bit integers as text, enumerations
 * as numbers, unknown members ignored (opentelemetry.io/docs/specs/otlp, "JSON Protobuf Encoding").
 */
import {
  MAX_LINKS,
  PEER_ATTRIBUTES,
  STATUS_ERROR,
  keep,
  receive,
  type PendingSpans,
  type RawSpan,
  type ReceivedSpans,
} from './span.ts';

type Members = Record<string, unknown>;

/** @throws SyntaxError or TypeError when the text is no ExportTraceServiceRequest */
export function decodeJson(body: Uint8Array): ReceivedSpans {
  const received: ReceivedSpans = { spans: [], rejected: 0 };
  const request = members(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)), 'The request');
  for (const item of list(request['resourceSpans'], 'resourceSpans')) {
    const resourceSpans = members(item, 'resourceSpans[]');
    const resource = members(resourceSpans['resource'] ?? {}, 'resource');
    const service = attributes(resource, (key) => key === 'service.name').get('service.name');
    const pending: PendingSpans = { spans: [], rejected: 0 };
    for (const scopeSpans of list(resourceSpans['scopeSpans'], 'scopeSpans')) {
      const { spans } = members(scopeSpans, 'scopeSpans[]');
      for (const span of list(spans, 'spans')) keep(pending, readSpan(members(span, 'spans[]')));
    }
    receive(received, service, pending);
  }
  return received;
}

function readSpan(span: Members): RawSpan {
  return {
    kind: Number(span['kind'] ?? 0),
    traceId: hex(span['traceId']),
    spanId: hex(span['spanId']),
    parentSpanId: hex(span['parentSpanId']),
    links: list(span['links'], 'links')
      .slice(0, MAX_LINKS)
      .map((link) => members(link, 'links[]'))
      .map((link) => hex(link['traceId']) + hex(link['spanId'])),
    seconds: secondsBetween(span['startTimeUnixNano'], span['endTimeUnixNano']),
    failed: Number(members(span['status'] ?? {}, 'status')['code']) === STATUS_ERROR,
    attributes: attributes(span, (key) => PEER_ATTRIBUTES.has(key)),
  };
}

function attributes(of: Members, wanted: (key: string) => boolean): Map<string, string> {
  const found = new Map<string, string>();
  for (const item of list(of['attributes'], 'attributes')) {
    const { key, value } = members(item, 'attributes[]');
    if (typeof key !== 'string' || !wanted(key)) continue;
    const text = members(value ?? {}, 'value')['stringValue'];
    if (typeof text === 'string') found.set(key, text);
  }
  return found;
}

const hex = (id: unknown): string => (typeof id === 'string' ? id.toLowerCase() : '');

/** NaN when one of them is no time: the span is rejected then, not the request. */
function secondsBetween(start: unknown, end: unknown): number {
  const [from, to] = [start, end].map((time) =>
    (typeof time === 'string' && /^\d{1,20}$/u.test(time)) || (Number.isSafeInteger(time) && Number(time) >= 0)
      ? BigInt(String(time))
      : undefined,
  );
  return from === undefined || to === undefined ? Number.NaN : Number(to - from) / 1e9;
}

function members(value: unknown, name: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError(`${name} is no object.`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- any object may be read by its members
  return value as Members;
}

function list(value: unknown, name: string): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new TypeError(`${name} is no list.`);
  return value;
}
