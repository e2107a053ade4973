import type { EventLog } from '../../../platform/event-log/index.ts';

/** Interval between removals of streams, in ms: removing them one by one would cost as much as the requests. */
const INTERVAL_MS = 1_000;

/** Removes obsolete reply streams in batches. Those of a killed process expire. */
export class Leftovers {
  readonly #events: EventLog;
  #streams: string[] = [];

  constructor(events: EventLog) {
    this.#events = events;
  }

  add(stream: string): void {
    this.#streams.push(stream);
    if (this.#streams.length === 1) setTimeout(() => this.#remove(), INTERVAL_MS).unref();
  }

  #remove(): void {
    const streams = this.#streams;
    this.#streams = [];
    void this.#events.remove(streams).catch(() => undefined);
  }
}
