/** Calls by edge over a sliding window: a ring of slots, each with its calls, failures and durations. */
import type { ObservedEdge } from '@casebook/connectors';
import { countDuration, quantilesOf, type Histogram } from './histogram.ts';

/** One call from a service to another. */
export interface Call {
  caller: string;
  callee: string;
  seconds: number;
  failed: boolean;
}

/** An edge derived from spans; unlike other sources, spans say when its last call was seen. */
export interface SeenEdge extends ObservedEdge {
  /** On the clock used for counting, in ms. */
  seenAt: number;
}

/** Slots in the window, which therefore covers between 5/6 and all of its length. */
const SLOTS = 6;
/** Minimum window for rates right after the start, in ms: one call is not a burst. */
const MIN_WINDOW_MS = 10_000;

interface Slot {
  /** Slot number, counted from 0 of the clock. */
  at: number;
  calls: number;
  failed: number;
  durations: Histogram;
}

interface EdgeCalls {
  caller: string;
  callee: string;
  seenAt: number;
  /** Oldest first, at most {@link SLOTS}. */
  slots: Slot[];
}

/** Times are in ms on any one monotonic clock. */
export class CallRates {
  readonly #slotMs: number;
  readonly #maxEdges: number;
  readonly #startedAt: number;
  readonly #edges = new Map<string, EdgeCalls>();
  /** Calls of edges dropped for lack of room. */
  dropped = 0;

  constructor(windowSeconds: number, maxEdges: number, startedAt: number) {
    this.#slotMs = (windowSeconds * 1_000) / SLOTS;
    this.#maxEdges = maxEdges;
    this.#startedAt = startedAt;
  }

  count({ caller, callee, seconds, failed }: Call, now: number): void {
    const key = `${caller}\n${callee}`;
    let edge = this.#edges.get(key);
    if (!edge) {
      if (this.#edges.size >= this.#maxEdges) {
        this.dropped += 1;
        return;
      }
      edge = { caller, callee, seenAt: now, slots: [] };
      this.#edges.set(key, edge);
    }
    edge.seenAt = now;
    const slot = this.#slotOf(edge, now);
    slot.calls += 1;
    if (failed) slot.failed += 1;
    countDuration(slot.durations, seconds);
  }

  /** Edges with a call in the window; forgets the others. */
  edges(now: number): SeenEdge[] {
    const oldest = this.#partOf(now) - SLOTS + 1;
    const since = Math.max(oldest * this.#slotMs, this.#startedAt);
    const seconds = Math.max(now - since, MIN_WINDOW_MS) / 1_000;
    const seen: SeenEdge[] = [];
    for (const [key, edge] of this.#edges) {
      const slots = edge.slots.filter(({ at }) => at >= oldest);
      edge.slots = slots;
      const calls = slots.reduce((sum, slot) => sum + slot.calls, 0);
      if (calls === 0) {
        this.#edges.delete(key);
        continue;
      }
      const failed = slots.reduce((sum, slot) => sum + slot.failed, 0);
      const [p50Seconds, p95Seconds] = quantilesOf(
        slots.map(({ durations }) => durations),
        [0.5, 0.95],
      );
      const { caller, callee, seenAt } = edge;
      const figures = { callsPerSecond: calls / seconds, errorRatio: failed / calls, p50Seconds, p95Seconds };
      seen.push({ caller, callee, source: 'spans', seenAt, ...figures });
    }
    return seen;
  }

  #slotOf(edge: EdgeCalls, now: number): Slot {
    const at = this.#partOf(now);
    const last = edge.slots.at(-1);
    if (last?.at === at) return last;
    const slot: Slot = { at, calls: 0, failed: 0, durations: new Map() };
    edge.slots.push(slot);
    if (edge.slots.length > SLOTS) edge.slots.shift();
    return slot;
  }

  #partOf(now: number): number {
    return Math.floor(now / this.#slotMs);
  }
}
