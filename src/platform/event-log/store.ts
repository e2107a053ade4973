import type { EncodedEvent } from './encode.ts';
import type { Page } from './follow.ts';
import type { EventLog, LogEvent } from './port.ts';

/**
 * What a server does for the event log. Names and positions are checked before they come here; errors may be of any
 * class.
 */
export interface EventStore {
  readonly kind: EventLog['kind'];
  /** The form of its ids. */
  readonly idPattern: RegExp;
  /** Stores the events in order and at once; drops those whose key the stream has had. `events` is not empty. */
  append(stream: string, events: EncodedEvent[]): Promise<void>;
  read(stream: string, afterId: string | undefined, limit: number): Promise<LogEvent[]>;
  readPage(stream: string, afterId: string | undefined): Promise<Page>;
  /** Starts to pass on nudges from other processes, unless it already does. */
  listen(): void;
  remove(streams: readonly string[]): Promise<void>;
  expire(before: Date): Promise<number>;
  check(): Promise<void>;
  /** Lets what is under way end, then closes every connection. */
  close(): Promise<void>;
}
