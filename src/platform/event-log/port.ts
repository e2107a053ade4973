/**
 * Append-only streams of events with ids, tail, and replay from an id. Carries tokens and steps from activities to
 * SSE clients, on any number of API nodes and workers.
 */

/** A JSON object; small (at most 256 kB), the whole result of anything lives in PostgreSQL. */
export type EventData = Record<string, unknown>;

export interface NewEvent {
  /** Dotted, for example `tool.completed`. */
  type: string;
  data: EventData;
  /**
   * Makes the append idempotent: a second event with the same key in the same stream is dropped, also after a crash
   * between the append and its acknowledgement. Absent: every append is a new event.
   */
  key?: string;
}

export interface LogEvent {
  /** Opaque to clients, ordered within its stream: usable as SSE event id and Last-Event-ID. */
  id: string;
  type: string;
  data: EventData;
  /** When it was appended. */
  at: Date;
}

export interface EventLog {
  readonly kind: 'postgres' | 'redis';
  /**
   * Appends in order, all or nothing. Readers see a stream's events in id order and never see an id before a smaller one.
   * @throws when the log cannot be reached; appending again with the same keys is safe
   */
  append(stream: string, events: readonly NewEvent[]): Promise<void>;
  /** Events after `afterId` (from the start when undefined), oldest first, at most `limit` (default 1,000). */
  read(stream: string, options?: { afterId?: string; limit?: number }): Promise<LogEvent[]>;
  /**
   * Replays everything after `afterId`, then follows the stream until the signal fires. Survives a lost connection to
   * the log: it reconnects and goes on after the last event it gave out, so that none is missing or doubled. Memory is
   * bounded: a slow consumer reads pages from the log, nothing is queued per consumer without bound.
   */
  tail(stream: string, options: { afterId?: string; signal: AbortSignal }): AsyncIterable<LogEvent>;
  /** @returns whether `id` has the form of this log's ids (a Last-Event-ID from a client is untrusted) */
  isValidId(id: string): boolean;
  /**
   * Deletes streams, if they are there; what is appended to them later begins them anew. Not all of them at once: when
   * it throws, some may be gone, and the whole is to be repeated.
   */
  remove(streams: readonly string[]): Promise<void>;
  /** Deletes streams whose last event is older than `before`. @returns how many streams went */
  expire(before: Date): Promise<number>;
  /** Throws when the log cannot be reached. */
  check(): Promise<void>;
  close(): Promise<void>;
}
