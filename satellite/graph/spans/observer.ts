/** Spans in, edges out: pairs them and counts the calls. */
import type { BorderSpan } from '../../otlp/index.ts';
import { SpanPairing } from './pairing.ts';
import { CallRates, type SeenEdge } from './rates.ts';

/** Twice the batch delay of the SDKs: both sides of a call have arrived by then. */
const WAIT_MS = 10_000;
/** About 40 MB of memory, enough for 10,000 calls a second. */
const MAX_WAITING = 100_000;

export class SpanObserver {
  readonly #rates: CallRates;
  readonly #pairing: SpanPairing;
  readonly #now: () => number;

  constructor(windowSeconds: number, maxEdges: number, now: () => number) {
    this.#now = now;
    this.#rates = new CallRates(windowSeconds, maxEdges, now());
    this.#pairing = new SpanPairing({
      waitMs: WAIT_MS,
      maxWaiting: MAX_WAITING,
      onCall: (call) => this.#rates.count(call, this.#now()),
    });
  }

  receive(spans: readonly BorderSpan[]): void {
    const now = this.#now();
    for (const span of spans) this.#pairing.take(span, now);
  }

  /** Edges with a call in the window. */
  edges(): SeenEdge[] {
    const now = this.#now();
    this.#pairing.expire(now);
    return this.#rates.edges(now);
  }

  /** Spans and calls dropped for lack of room since the start. */
  get dropped(): number {
    return this.#pairing.dropped + this.#rates.dropped;
  }
}
