import { checkStream, encodeEvent, type EncodedEvent } from './encode.ts';
import { EventLogError, unavailable, type EventLog, type LogEvent, type NewEvent } from './port.ts';
import { follow, type Page } from './follow.ts';
import { Nudges } from './nudges.ts';

/** The event log over any {@link EventStore}: validates input, turns pages into tails, ends them on close. */
export class StoredEventLog implements EventLog {
  readonly kind: EventLog['kind'];
  readonly #store: EventStore;
  readonly #nudges: Nudges;
  #closed: Promise<void> | undefined;

  /** @param options.pollMs how often every tail polls, in case a notification was lost; milliseconds */
  constructor(options: { pollMs?: number }, open: (nudges: Nudges) => EventStore) {
    this.#nudges = new Nudges({ pollMs: options.pollMs ?? 5_000 });
    this.#store = open(this.#nudges);
    this.kind = this.#store.kind;
  }

  async append(stream: string, events: readonly NewEvent[]): Promise<void> {
    this.#check(stream);
    if (events.length === 0) return;
    await reached(this.#store.append(stream, events.map(encodeEvent)));
  }

  async read(stream: string, options: { afterId?: string; limit?: number } = {}): Promise<LogEvent[]> {
    this.#check(stream, options.afterId);
    return reached(this.#store.read(stream, options.afterId, options.limit ?? 1_000));
  }

  tail(stream: string, options: { afterId?: string; signal: AbortSignal }): AsyncIterable<LogEvent> {
    this.#check(stream, options.afterId);
    return follow({
      afterId: options.afterId,
      signal: options.signal,
      subscribe: () => {
        this.#store.listen();
        return this.#nudges.subscribe(stream);
      },
      readPage: (afterId) => this.#store.readPage(stream, afterId),
    });
  }

  isValidId(id: string): boolean {
    return this.#store.idPattern.test(id);
  }

  async remove(streams: readonly string[]): Promise<void> {
    for (const stream of streams) this.#check(stream);
    if (streams.length > 0) await reached(this.#store.remove(streams));
  }

  async expire(before: Date): Promise<number> {
    this.#checkOpen();
    return reached(this.#store.expire(before));
  }

  async check(): Promise<void> {
    this.#checkOpen();
    await reached(this.#store.check());
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.#nudges.close();
      this.#closed = this.#store.close();
    }
    return this.#closed;
  }

  #check(stream: string, id?: string): void {
    this.#checkOpen();
    checkStream(stream);
    if (id !== undefined && !this.isValidId(id)) {
      throw new EventLogError('invalid_id', 'The position is not an id of this event log');
    }
  }

  #checkOpen(): void {
    if (this.#closed) throw new EventLogError('closed', 'The event log was closed');
  }
}

async function reached<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw unavailable(error);
  }
}

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
  /** Finishes calls in flight, then closes every connection. */
  close(): Promise<void>;
}
