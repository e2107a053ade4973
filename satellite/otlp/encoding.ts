/** The two encodings of OTLP/HTTP. A response uses the encoding of its request. */
import { decodeJson } from './json.ts';
import { decodeProtobuf, encodeResponse, encodeStatus } from './protobuf.ts';
import { Refusal } from './body.ts';
import type { ReceivedSpans } from './span.ts';

export interface Encoding {
  contentType: string;
  /** @throws when the body is not an ExportTraceServiceRequest */
  decode(body: Uint8Array): ReceivedSpans;
  /** An ExportTraceServiceResponse; a partial success when spans were rejected. */
  response(rejected: number, message: string): Uint8Array;
  /** A google.rpc.Status. */
  status(code: number, message: string): Uint8Array;
}

const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

const PROTOBUF: Encoding = {
  contentType: 'application/x-protobuf',
  decode: decodeProtobuf,
  response: encodeResponse,
  status: encodeStatus,
};

export const JSON_ENCODING: Encoding = {
  contentType: 'application/json',
  decode: decodeJson,
  // The number of rejected spans is an int64, which this encoding writes as text.
  response: (rejected, message) =>
    json(rejected > 0 ? { partialSuccess: { rejectedSpans: String(rejected), errorMessage: message } } : {}),
  status: (code, message) => json({ code, message }),
};

/** @param contentType the request's header @throws {Refusal} 415 */
export function encodingOf(contentType: string | undefined): Encoding {
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  const found = [PROTOBUF, JSON_ENCODING].find((encoding) => encoding.contentType === type);
  if (!found) throw new Refusal(415, 'Content-Type must be application/x-protobuf or application/json.');
  return found;
}
