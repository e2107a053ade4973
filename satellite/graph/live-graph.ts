/** The graph as it is now: what every source saw of every edge, merged. No clock, no timers. */
import type { EdgeSource } from '../../src/features/satellites/wire/index.ts';
import type { ObservedEdge } from '../connectors/connector.ts';
import { cleanName } from './names.ts';

/** What is measured of an edge; absent: the source does not say. */
interface Figures {
  callsPerSecond?: number;
  /** 0 to 1. */
  errorRatio?: number;
  p50Seconds?: number;
  p95Seconds?: number;
}

/** An edge with the figures of one of its sources: of all that saw a call lately, the one that saw the most. */
export interface MergedEdge extends Figures {
  /** Unique for the pair. */
  key: string;
  caller: string;
  callee: string;
  /** All that know the edge, sorted. */
  sources: EdgeSource[];
  /** When the last call was seen, on the clock of the observations, in ms. */
  seenAt: number;
  stale: boolean;
}

interface LiveGraphOptions {
  /** An edge that no source has seen for this long is stale, in ms. */
  staleAfterMs: number;
  /** An edge, and a source's part in it, that was not seen for this long is gone, in ms. */
  expireAfterMs: number;
  mostEdges: number;
}

/** What one source saw of one edge at last. */
interface Observation {
  /** Which connector, or the spans: two Prometheus servers may both know an edge. */
  origin: string;
  source: EdgeSource;
  seenAt: number;
  figures: Figures;
}

interface Edge {
  caller: string;
  callee: string;
  /** Seldom more than one. */
  observations: Observation[];
}

/** Times are of any one clock that never goes back, in ms. */
export class LiveGraph {
  readonly #options: LiveGraphOptions;
  readonly #edges = new Map<string, Edge>();

  constructor(options: LiveGraphOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#edges.size;
  }

  /**
   * Takes what a source has seen. An edge that it does not mention any more, or mentions with no calls, keeps its last figures and
   * grows old. Where `seenAt` is not said, a call was seen just now.
   *
   * @param origin tells sources of one kind apart
   */
  observe(origin: string, edges: Iterable<ObservedEdge & { seenAt?: number }>, now: number): void {
    for (const { caller: from, callee: to, source, seenAt = now, ...measured } of edges) {
      const caller = cleanName(from);
      const callee = cleanName(to);
      if (caller === undefined || callee === undefined || measured.callsPerSecond === 0) continue;
      const observation: Observation = { origin, source, seenAt, figures: plausible(measured) };
      const key = `${caller}\n${callee}`;
      const edge = this.#edges.get(key);
      if (edge) replace(edge.observations, observation);
      else this.#edges.set(key, { caller, callee, observations: [observation] });
    }
  }

  /** Forgets what is expired. @returns how many edges more than allowed were dropped, the least called first */
  advance(now: number): number {
    const oldest = now - this.#options.expireAfterMs;
    for (const [key, edge] of this.#edges) {
      if (edge.observations.every(({ seenAt }) => seenAt > oldest)) continue;
      edge.observations = edge.observations.filter(({ seenAt }) => seenAt > oldest);
      if (edge.observations.length === 0) this.#edges.delete(key);
    }
    const excess = this.#edges.size - this.#options.mostEdges;
    if (excess <= 0) return 0;
    // The sort is stable: of edges that are called as often, those go that came last.
    const leastCalled = [...this.merged(now)]
      .sort((one, other) => callsOf(other) - callsOf(one))
      .slice(this.#options.mostEdges);
    for (const { key } of leastCalled) this.#edges.delete(key);
    return excess;
  }

  /** Every edge, in the order in which they were found. */
  *merged(now: number): Generator<MergedEdge> {
    for (const [key, { caller, callee, observations }] of this.#edges) {
      const seenAt = Math.max(...observations.map((observation) => observation.seenAt));
      const stale = this.#isOld(seenAt, now);
      const candidates = stale ? observations : observations.filter((seen) => !this.#isOld(seen.seenAt, now));
      const { figures } = candidates.reduce((most, seen) =>
        callsOf(seen.figures) > callsOf(most.figures) ? seen : most,
      );
      const sources = [...new Set(observations.map(({ source }) => source))].sort();
      yield { key, caller, callee, ...figures, sources, seenAt, stale };
    }
  }

  #isOld(seenAt: number, now: number): boolean {
    return now - seenAt >= this.#options.staleAfterMs;
  }
}

function replace(observations: Observation[], observation: Observation): void {
  const at = observations.findIndex(
    ({ origin, source }) => origin === observation.origin && source === observation.source,
  );
  if (at === -1) observations.push(observation);
  else observations[at] = observation;
}

const callsOf = ({ callsPerSecond = -1 }: Figures): number => callsPerSecond;

/** A rate of nothing is NaN, and a histogram without an upper bound gives infinity: what is no figure is left out. */
function plausible({ callsPerSecond, errorRatio, p50Seconds, p95Seconds }: Figures): Figures {
  const ratio = amount(errorRatio);
  return {
    callsPerSecond: amount(callsPerSecond),
    errorRatio: ratio === undefined ? undefined : Math.min(1, ratio),
    p50Seconds: amount(p50Seconds),
    p95Seconds: amount(p95Seconds),
  };
}

const amount = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isFinite(value) && value >= 0 ? value : undefined;
