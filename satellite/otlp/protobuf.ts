/**
 * Export requests and responses in protobuf, read field by field. A decoder made from a descriptor would make an object of every
 * attribute, event and link of every span, and of two-byte empty messages just the same: a request of a few MiB would
 * take hundreds of MiB. Here only what the graph needs is kept and everything else is skipped.
 *
 * Field numbers: opentelemetry-proto v1 (collector/trace/v1/trace_service.proto, trace/v1/trace.proto,
 * resource/v1/resource.proto, common/v1/common.proto), all of them stable, and google/rpc/status.proto.
 */
import protobuf from 'protobufjs/minimal.js';
import { MOST_LINKS, PEER_ATTRIBUTES, STATUS_ERROR, receive, type RawSpan, type ReceivedSpans } from './span.ts';

type Reader = protobuf.Reader;

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
/** A field's number and how it is encoded, as they stand before it. */
const tag = (field: number, wireType: number): number => field * 8 + wireType;

/** @throws RangeError or Error when the bytes are no ExportTraceServiceRequest */
export function decodeProtobuf(body: Uint8Array): ReceivedSpans {
  const received: ReceivedSpans = { spans: [], rejected: 0 };
  const reader = protobuf.Reader.create(body);
  fields(reader, reader.len, {
    [tag(1, BYTES)]: () => readResourceSpans(reader, received),
  });
  return received;
}

/** ExportTraceServiceResponse. Without rejected spans it is empty: full success. */
export function encodeResponse(rejected: number, message: string): Uint8Array {
  const writer = protobuf.Writer.create();
  if (rejected > 0) {
    writer.uint32(tag(1, BYTES)).fork();
    writer.uint32(tag(1, VARINT)).int64(rejected).uint32(tag(2, BYTES)).string(message).ldelim();
  }
  return writer.finish();
}

/** google.rpc.Status: what OTLP/HTTP answers with when it refuses. */
export function encodeStatus(code: number, message: string): Uint8Array {
  return protobuf.Writer.create().uint32(tag(1, VARINT)).int32(code).uint32(tag(2, BYTES)).string(message).finish();
}

function readResourceSpans(reader: Reader, received: ReceivedSpans): void {
  let service: string | undefined;
  // The resource may stand behind its spans.
  const spans: RawSpan[] = [];
  message(reader, {
    [tag(1, BYTES)]: () => {
      message(reader, {
        [tag(1, BYTES)]: () => {
          readAttribute(
            reader,
            (key) => key === 'service.name',
            (_, value) => void (service = value),
          );
        },
      });
    },
    [tag(2, BYTES)]: () => message(reader, { [tag(2, BYTES)]: () => void spans.push(readSpan(reader)) }),
  });
  receive(received, service, spans);
}

function readSpan(reader: Reader): RawSpan {
  const span: RawSpan = {
    kind: 0,
    traceId: '',
    spanId: '',
    parentSpanId: '',
    links: [],
    seconds: 0,
    failed: false,
    attributes: new Map(),
  };
  let start: Nanoseconds = [0, 0];
  let end: Nanoseconds = [0, 0];
  message(reader, {
    [tag(1, BYTES)]: () => void (span.traceId = hex(reader)),
    [tag(2, BYTES)]: () => void (span.spanId = hex(reader)),
    [tag(4, BYTES)]: () => void (span.parentSpanId = hex(reader)),
    [tag(6, VARINT)]: () => void (span.kind = reader.int32()),
    [tag(7, FIXED64)]: () => void (start = nanoseconds(reader)),
    [tag(8, FIXED64)]: () => void (end = nanoseconds(reader)),
    [tag(9, BYTES)]: () => {
      readAttribute(
        reader,
        (key) => PEER_ATTRIBUTES.has(key),
        (key, value) => void span.attributes.set(key, value),
      );
    },
    [tag(13, BYTES)]: () => {
      const link = readLink(reader);
      if (span.links.length < MOST_LINKS) span.links.push(link);
    },
    [tag(15, BYTES)]: () => {
      message(reader, { [tag(3, VARINT)]: () => void (span.failed = reader.int32() === STATUS_ERROR) });
    },
  });
  span.seconds = secondsBetween(start, end);
  return span;
}

function readLink(reader: Reader): string {
  let traceId = '';
  let spanId = '';
  message(reader, {
    [tag(1, BYTES)]: () => void (traceId = hex(reader)),
    [tag(2, BYTES)]: () => void (spanId = hex(reader)),
  });
  return traceId + spanId;
}

/** A KeyValue; only strings matter. The value may stand before its key. */
function readAttribute(
  reader: Reader,
  wanted: (key: string) => boolean,
  take: (key: string, value: string) => void,
): void {
  let key = '';
  let at: number | undefined;
  message(reader, {
    [tag(1, BYTES)]: () => void (key = reader.string()),
    [tag(2, BYTES)]: () => {
      at = reader.pos;
      reader.skipType(BYTES);
    },
  });
  if (at === undefined || !wanted(key)) return;
  const after = reader.pos;
  reader.pos = at;
  message(reader, { [tag(1, BYTES)]: () => take(key, reader.string()) });
  reader.pos = after;
}

/** Low and high half of a time in ns: a double cannot hold the whole of it. */
type Nanoseconds = [low: number, high: number];

function nanoseconds(reader: Reader): Nanoseconds {
  return [reader.fixed32(), reader.fixed32()];
}

const secondsBetween = (start: Nanoseconds, end: Nanoseconds): number =>
  ((end[1] - start[1]) * 2 ** 32 + (end[0] - start[0])) / 1e9;

const hex = (reader: Reader): string => Buffer.from(reader.bytes()).toString('hex');

/** Reads a message with its length before it. */
function message(reader: Reader, handlers: Record<number, () => void>): void {
  const length = reader.size();
  const end = reader.pos + length;
  if (end > reader.len) throw new RangeError('A message is longer than what holds it.');
  fields(reader, end, handlers);
}

function fields(reader: Reader, end: number, handlers: Record<number, () => void>): void {
  while (reader.pos < end) {
    const read = reader.tag();
    const handler = handlers[read];
    if (handler) handler();
    else reader.skipType(read & 7, 0, read >>> 3);
  }
  if (reader.pos !== end) throw new RangeError('A field is longer than the message that holds it.');
}
