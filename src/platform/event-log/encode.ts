import { EventLogError, type NewEvent } from './port.ts';

/** Maximum bytes of one event's data as JSON in UTF-8. */
export const maxEventBytes = 256 * 1024;
/** Maximum bytes of a stream name and of a key: together they form one PostgreSQL index entry (at most 2,704 bytes). */
const maxNameBytes = 512;

/** An event as stored: its data is opaque text to servers, so every JSON string survives. */
export interface EncodedEvent {
  type: string;
  /** `data` as JSON. */
  json: string;
  /** Bytes of `json` in UTF-8. */
  size: number;
  key: string | undefined;
}

function checkName(what: string, value: string): void {
  const bytes = Buffer.byteLength(value);
  if (bytes === 0 || bytes > maxNameBytes) {
    throw new EventLogError(
      'invalid_event',
      `The ${what} of an event must have 1 to ${maxNameBytes} bytes, not ${bytes}`,
    );
  }
  // PostgreSQL cannot store NUL, and lone surrogates would be replaced on the wire, which could merge two names.
  if (value.includes('\0') || !value.isWellFormed()) {
    throw new EventLogError('invalid_event', `The ${what} of an event must be well-formed Unicode without NUL`);
  }
}

/** @throws {EventLogError} `invalid_event` when `stream` is not a valid stream name */
export function checkStream(stream: string): void {
  checkName('stream', stream);
}

/**
 * Validates an event and snapshots its data.
 * @throws {EventLogError} `invalid_event`, or `too_large` for data over {@link maxEventBytes}
 */
export function encodeEvent(event: NewEvent): EncodedEvent {
  checkName('type', event.type);
  if (event.key !== undefined) checkName('key', event.key);
  let json: string | undefined;
  try {
    json = JSON.stringify(event.data);
  } catch (error) {
    throw new EventLogError('invalid_event', `The data of a ${event.type} event is not JSON`, { cause: error });
  }
  if (json?.[0] !== '{') {
    throw new EventLogError('invalid_event', `The data of a ${event.type} event must be an object`);
  }
  const size = Buffer.byteLength(json);
  if (size > maxEventBytes) {
    throw new EventLogError(
      'too_large',
      `The data of a ${event.type} event has ${size} bytes; the maximum is ${maxEventBytes}`,
    );
  }
  return { type: event.type, json, size, key: event.key };
}
