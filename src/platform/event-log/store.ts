import type { EncodedEvent } from './encode.ts';
import type { Page } from './follow.ts';
import type { EventLog, LogEvent } from './port.ts';

/**
 * What the event log needs from a server. Names and positions are validated before they get here; errors may be of any
 * class.
 */
export interface EventStore {
  readonly kind: EventLog['kind'];
  /** The format of its ids. */
  readonly idPattern: RegExp;
  /** Stores the events atomically and in order; drops those whose key the stream has had. `events` is not empty. */
  append(stream: string, events: EncodedEvent[]): Promise<void>;
  read(stream: string, afterId: string | undefined, limit: number): Promise<LogEvent[]>;
  readPage(stream: string, afterId: string | undefined): Promise<Page>;
  /** Starts to pass on nudges from other processes, unless it already does. */
  listen(): void;
  remove(streams: readonly string[]): Promise<void>;
  expire(before: Date): Promise<number>;
  check(): Promise<void>;
  /** Finishes what is under way, then closes every connection. */
  close(): Promise<void>;
}
