/** The graph as it is now: what every source saw of every edge, merged. No clock, no timers. */
import { EDGE_SOURCES, type EdgeSource } from '@casebook/wire';
import type { ObservedEdge } from '@casebook/connectors';
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
  sources: readonly EdgeSource[];
  /** When the last call was seen, on the clock of the observations, in ms. */
  seenAt: number;
  stale: boolean;
}

interface LiveGraphOptions {
  /** An edge that no source has seen for this long is stale, in ms. */
  staleAfterMs: number;
  /** An edge, and a source's part in it, that was not seen for this long is gone, in ms. */
  expireAfterMs: number;
  maxEdges: number;
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
  key: string;
  caller: string;
  callee: string;
  /** Seldom more than one. */
  observations: Observation[];
}

/** Times are of any one clock that never goes back, in ms. */
export class LiveGraph {
  readonly #options: LiveGraphOptions;
  readonly #edges = new Set<Edge>();
  /** By caller, then callee: finding an edge makes no string, which counts when there are 100,000 in each poll. */
  readonly #byCaller = new Map<string, Map<string, Edge>>();

  constructor(options: LiveGraphOptions) {
    this.#options = options;
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
      const edge = this.#byCaller.get(caller)?.get(callee);
      if (edge) replace(edge.observations, observation);
      else this.#add({ key: `${caller}\n${callee}`, caller, callee, observations: [observation] });
    }
  }

  /** Forgets what is expired. @returns how many edges more than allowed were dropped, the least called first */
  advance(now: number): number {
    const oldest = now - this.#options.expireAfterMs;
    for (const edge of this.#edges) {
      if (edge.observations.every(({ seenAt }) => seenAt > oldest)) continue;
      edge.observations = edge.observations.filter(({ seenAt }) => seenAt > oldest);
      if (edge.observations.length === 0) this.#forget(edge);
    }
    const excess = this.#edges.size - this.#options.maxEdges;
    if (excess <= 0) return 0;
    // The sort is stable: of edges that are called as often, those go that came last.
    const leastCalled = [...this.merged(now)]
      .sort((one, other) => callsOf(other) - callsOf(one))
      .slice(this.#options.maxEdges);
    for (const { caller, callee } of leastCalled) {
      const edge = this.#byCaller.get(caller)?.get(callee);
      if (edge) this.#forget(edge);
    }
    return excess;
  }

  /** Every edge, in the order in which they were found. */
  *merged(now: number): Generator<MergedEdge> {
    for (const { key, caller, callee, observations } of this.#edges) {
      const seenAt = observations.reduce((latest, seen) => Math.max(latest, seen.seenAt), Number.NEGATIVE_INFINITY);
      const stale = this.#isOld(seenAt, now);
      const { figures } = observations.reduce((most, seen) =>
        // A source that has fallen silent does not speak for one that has not.
        (stale || !this.#isOld(seen.seenAt, now)) &&
        (callsOf(seen.figures) > callsOf(most.figures) || (!stale && this.#isOld(most.seenAt, now)))
          ? seen
          : most,
      );
      const sources = sourcesOf(observations);
      yield { key, caller, callee, ...figures, sources, seenAt, stale };
    }
  }

  #add(edge: Edge): void {
    this.#edges.add(edge);
    const callees = this.#byCaller.get(edge.caller);
    if (callees) callees.set(edge.callee, edge);
    else this.#byCaller.set(edge.caller, new Map([[edge.callee, edge]]));
  }

  #forget(edge: Edge): void {
    this.#edges.delete(edge);
    const callees = this.#byCaller.get(edge.caller);
    callees?.delete(edge.callee);
    if (callees?.size === 0) this.#byCaller.delete(edge.caller);
  }

  #isOld(seenAt: number, now: number): boolean {
    return now - seenAt >= this.#options.staleAfterMs;
  }
}

/** One list for all edges of one source, as nearly all are: it is what an edge would take most memory for. */
const ALONE = new Map(EDGE_SOURCES.map((source) => [source, Object.freeze([source])]));

function sourcesOf(observations: readonly Observation[]): readonly EdgeSource[] {
  const [first, ...others] = observations;
  const alone = first && ALONE.get(first.source);
  if (alone && others.every(({ source }) => source === first.source)) return alone;
  return [...new Set(observations.map(({ source }) => source))].sort();
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
