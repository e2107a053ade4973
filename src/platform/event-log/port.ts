/**
 * Append-only streams of events with ids, tail, and replay from an id. Carries tokens and steps from activities to SSE
 * clients, across any number of API nodes and workers.
 */

/** A JSON object; small (at most 256 kB): full results live in PostgreSQL. */
export type EventData = Record<string, unknown>;

export interface NewEvent {
  /** Dotted, for example `tool.completed`. */
  type: string;
  data: EventData;
  /**
   * Makes the append idempotent: a second event with the same key in the same stream is dropped, even after a crash
   * between the append and its acknowledgement. Without a key, every append is a new event.
   */
  key?: string;
}

export interface LogEvent {
  /** Opaque to clients, ordered within its stream; usable as SSE event id and Last-Event-ID. */
  id: string;
  type: string;
  data: EventData;
  /** When it was appended. */
  at: Date;
}

export interface EventLog {
  readonly kind: 'postgres' | 'redis';
  /**
   * Appends in order, all or nothing. Readers see a stream's events in id order, without gaps that fill later.
   * @throws when the log cannot be reached; appending again with the same keys is safe
   */
  append(stream: string, events: readonly NewEvent[]): Promise<void>;
  /** Events after `afterId` (from the start if undefined), oldest first, at most `limit` (default 1,000). */
  read(stream: string, options?: { afterId?: string; limit?: number }): Promise<LogEvent[]>;
  /**
   * Replays everything after `afterId`, then follows the stream until the signal fires. Survives a lost connection: it
   * reconnects and continues after the last event it yielded, without gaps or duplicates. Memory is bounded: a slow
   * consumer reads pages from the log, and no unbounded queue builds up.
   */
  tail(stream: string, options: { afterId?: string; signal: AbortSignal }): AsyncIterable<LogEvent>;
  /** @returns whether `id` has the form of this log's ids (a Last-Event-ID from a client is untrusted) */
  isValidId(id: string): boolean;
  /**
   * Deletes streams, if they exist; a later append starts them anew. Not atomic: if it throws, some may be gone; repeat
   * the whole call.
   */
  remove(streams: readonly string[]): Promise<void>;
  /** Deletes streams whose last event is older than `before`. @returns how many were deleted */
  expire(before: Date): Promise<number>;
  /** Throws when the log cannot be reached. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/**
 * What went wrong:
 * - `invalid_id`: a position that is not one of this log's ids
 * - `invalid_event`: a stream name, type, key or data that the log does not accept
 * - `too_large`: an event over the size limit
 * - `unavailable`: the log cannot be reached; whether the events were stored is unknown, appending them again with the
 *   same keys is safe
 * - `closed`: this instance was closed
 */
export type EventLogErrorKind = 'invalid_id' | 'invalid_event' | 'too_large' | 'unavailable' | 'closed';

/** Every error that an event log throws. */
export class EventLogError extends Error {
  override name = 'EventLogError';
  readonly kind: EventLogErrorKind;

  constructor(kind: EventLogErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** @returns the same failure as an {@link EventLogError}, caused by the server's own error */
export function unavailable(error: unknown): EventLogError {
  if (error instanceof EventLogError) return error;
  const message = error instanceof Error ? error.message || error.name : String(error);
  return new EventLogError('unavailable', `The event log cannot be reached: ${message}`, { cause: error });
}
