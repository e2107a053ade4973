/**
 * Export requests and responses in protobuf, read field by field. A decoder generated from a descriptor would allocate
 * an object for every attribute, event and link, even for empty two-byte messages, so a request of a few MiB could take
 * hundreds of MiB. This one keeps only what the graph needs and skips the rest.
 * Field numbers: opentelemetry-proto v1 (collector/trace/v1/trace_service.proto, trace/v1/trace.proto,
 * resource/v1/resource.proto, common/v1/common.proto), all of them stable, and google/rpc/status.proto.
 */
import protobuf from 'protobufjs/minimal.js';
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

type Reader = protobuf.Reader;

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
/** A field's number and wire type, as its tag encodes them. */
const tag = (field: number, wireType: number): number => field * 8 + wireType;

/** Handlers for a message's fields; other fields are skipped. `into` is the value under construction. */
type Fields<Into> = Record<number, (reader: Reader, into: Into) => void>;

/** @throws RangeError or Error when the bytes are not an ExportTraceServiceRequest */
export function decodeProtobuf(body: Uint8Array): ReceivedSpans {
  const received: ReceivedSpans = { spans: [], rejected: 0 };
  const reader = protobuf.Reader.create(body);
  fields(reader, reader.len, REQUEST, received);
  return received;
}

/** ExportTraceServiceResponse. Empty, meaning full success, when no span was rejected. */
export function encodeResponse(rejected: number, message: string): Uint8Array {
  const writer = protobuf.Writer.create();
  if (rejected > 0) {
    writer.uint32(tag(1, BYTES)).fork();
    writer.uint32(tag(1, VARINT)).int64(rejected).uint32(tag(2, BYTES)).string(message).ldelim();
  }
  return writer.finish();
}

/** google.rpc.Status, the body of an OTLP/HTTP error response. */
export function encodeStatus(code: number, message: string): Uint8Array {
  return protobuf.Writer.create().uint32(tag(1, VARINT)).int32(code).uint32(tag(2, BYTES)).string(message).finish();
}

interface ResourceSpans extends PendingSpans {
  service?: string;
}

/** Times as the low and high half of their nanoseconds: a double cannot hold all 64 bits. */
interface TimedSpan {
  span: RawSpan;
  start: [low: number, high: number];
  end: [low: number, high: number];
}

interface Attribute {
  key: string;
  /** Position of the value, which may precede its key. */
  valueAt?: number;
}

interface Ids {
  traceId: string;
  spanId: string;
}

const REQUEST: Fields<ReceivedSpans> = {
  [tag(1, BYTES)]: (reader, received) => {
    const pending = message<ResourceSpans>(reader, RESOURCE_SPANS, { spans: [], rejected: 0 });
    receive(received, pending.service, pending);
  },
};

const RESOURCE_SPANS: Fields<ResourceSpans> = {
  [tag(1, BYTES)]: (reader, into) => message(reader, RESOURCE, into),
  [tag(2, BYTES)]: (reader, into) => message(reader, SCOPE_SPANS, into),
};

const RESOURCE: Fields<ResourceSpans> = {
  [tag(1, BYTES)]: (reader, into) => {
    into.service = readAttribute(reader, (key) => key === 'service.name')?.value ?? into.service;
  },
};

const SCOPE_SPANS: Fields<ResourceSpans> = {
  [tag(2, BYTES)]: (reader, pending) => keep(pending, readSpan(reader)),
};

const SPAN: Fields<TimedSpan> = {
  [tag(1, BYTES)]: (reader, { span }) => void (span.traceId = hex(reader)),
  [tag(2, BYTES)]: (reader, { span }) => void (span.spanId = hex(reader)),
  [tag(4, BYTES)]: (reader, { span }) => void (span.parentSpanId = hex(reader)),
  [tag(6, VARINT)]: (reader, { span }) => void (span.kind = reader.int32()),
  [tag(7, FIXED64)]: (reader, into) => void (into.start = [reader.fixed32(), reader.fixed32()]),
  [tag(8, FIXED64)]: (reader, into) => void (into.end = [reader.fixed32(), reader.fixed32()]),
  [tag(9, BYTES)]: (reader, { span }) => {
    const attribute = readAttribute(reader, (key) => PEER_ATTRIBUTES.has(key));
    if (attribute) span.attributes.set(attribute.key, attribute.value);
  },
  [tag(13, BYTES)]: (reader, { span }) => {
    if (span.links.length >= MAX_LINKS) {
      reader.skipType(BYTES);
      return;
    }
    const { traceId, spanId } = message<Ids>(reader, LINK, { traceId: '', spanId: '' });
    span.links.push(traceId + spanId);
  },
  [tag(15, BYTES)]: (reader, { span }) => message(reader, STATUS, span),
};

const LINK: Fields<Ids> = {
  [tag(1, BYTES)]: (reader, into) => void (into.traceId = hex(reader)),
  [tag(2, BYTES)]: (reader, into) => void (into.spanId = hex(reader)),
};

const STATUS: Fields<RawSpan> = {
  [tag(3, VARINT)]: (reader, span) => void (span.failed = reader.int32() === STATUS_ERROR),
};

const KEY_VALUE: Fields<Attribute> = {
  [tag(1, BYTES)]: (reader, into) => void (into.key = reader.string()),
  [tag(2, BYTES)]: (reader, into) => {
    into.valueAt = reader.pos;
    reader.skipType(BYTES);
  },
};

const ANY_VALUE: Fields<{ text?: string }> = {
  [tag(1, BYTES)]: (reader, into) => void (into.text = reader.string()),
};

function readSpan(reader: Reader): RawSpan {
  const { span, start, end } = message<TimedSpan>(reader, SPAN, {
    span: newSpan(),
    start: [0, 0],
    end: [0, 0],
  });
  span.seconds = ((end[1] - start[1]) * 2 ** 32 + (end[0] - start[0])) / 1e9;
  return span;
}

/** A KeyValue to keep, if its value is text. */
function readAttribute(reader: Reader, wanted: (key: string) => boolean): { key: string; value: string } | undefined {
  const { key, valueAt } = message<Attribute>(reader, KEY_VALUE, { key: '' });
  if (valueAt === undefined || !wanted(key)) return undefined;
  const after = reader.pos;
  reader.pos = valueAt;
  const { text } = message<{ text?: string }>(reader, ANY_VALUE, {});
  reader.pos = after;
  return text === undefined ? undefined : { key, value: text };
}

const hex = (reader: Reader): string => {
  const bytes = reader.bytes();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
};

/** Reads a length-delimited message. */
function message<Into>(reader: Reader, known: Fields<Into>, into: Into): Into {
  const length = reader.size();
  const end = reader.pos + length;
  if (end > reader.len) throw new RangeError('A message is longer than its container.');
  fields(reader, end, known, into);
  return into;
}

function fields<Into>(reader: Reader, end: number, known: Fields<Into>, into: Into): void {
  while (reader.pos < end) {
    const read = reader.tag();
    const take = known[read];
    if (take) take(reader, into);
    else reader.skipType(read & 7, 0, read >>> 3);
  }
  if (reader.pos !== end) throw new RangeError('A field is longer than its message.');
}
