import type { EventLog } from '../../../platform/event-log/index.ts';

/** How often streams are removed, in ms: one by one they would cost as much as the question itself. */
const EVERY_MS = 1_000;

/** Reply streams that nobody will read again, removed many at a time. What a killed process had left expires. */
export class Leftovers {
  readonly #events: EventLog;
  #streams: string[] = [];

  constructor(events: EventLog) {
    this.#events = events;
  }

  add(stream: string): void {
    this.#streams.push(stream);
    if (this.#streams.length === 1) setTimeout(() => this.#remove(), EVERY_MS).unref();
  }

  #remove(): void {
    const streams = this.#streams;
    this.#streams = [];
    void this.#events.remove(streams).catch(() => undefined);
  }
}
