/** The event streams from which a node takes requests for its connected satellites. */
import { randomUUID } from 'node:crypto';
import type { EventLog, LogEvent } from '../../../platform/event-log/index.ts';

/** Interval between new streams, so that none grows without bound, in ms. */
const ROTATE_MS = 10 * 60_000;
/**
 * How long the previous stream is still read, in ms: a process that has just looked up its name may still write to it.
 */
const LINGER_MS = 60_000;

export class Inbox {
  /** The stream that requests should be sent to now. */
  name: string;
  readonly #events: EventLog;
  readonly #onEvent: (event: LogEvent) => void;
  readonly #nodeId = randomUUID();
  readonly #streams = new Map<string, { stop: AbortController; done: Promise<void> }>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #count = 0;

  constructor(events: EventLog, onEvent: (event: LogEvent) => void) {
    this.#events = events;
    this.#onEvent = onEvent;
    this.name = this.#begin();
    this.#timers.add(setInterval(() => this.#rotate(), ROTATE_MS).unref());
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all([...this.#streams.keys()].map((name) => this.#end(name)));
  }

  #rotate(): void {
    const before = this.name;
    this.name = this.#begin();
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#end(before);
    }, LINGER_MS).unref();
    this.#timers.add(timer);
  }

  #begin(): string {
    const name = `satellite-inbox:${this.#nodeId}:${++this.#count}`;
    const stop = new AbortController();
    const follow = async (): Promise<void> => {
      for await (const event of this.#events.tail(name, { signal: stop.signal })) this.#onEvent(event);
    };
    this.#streams.set(name, { stop, done: follow() });
    return name;
  }

  async #end(name: string): Promise<void> {
    const stream = this.#streams.get(name);
    this.#streams.delete(name);
    stream?.stop.abort();
    await stream?.done;
    await this.#events.remove([name]).catch(() => undefined);
  }
}
