/** The current graph: every edge, merged from all sources that saw it. No clock, no timers. */
import { EDGE_SOURCES, type EdgeSource, MAX_NAME_CHARACTERS } from '@casebook/wire';
import type { ObservedEdge } from '@casebook/connectors';

/** Measurements of an edge; an absent one was not reported by the source. */
interface Figures {
  callsPerSecond?: number;
  /** 0 to 1. */
  errorRatio?: number;
  p50Seconds?: number;
  p95Seconds?: number;
}

/** An edge with the figures of one source: of those that saw a recent call, the one that saw the most. */
export interface MergedEdge extends Figures {
  /** Unique for the pair. */
  key: string;
  caller: string;
  callee: string;
  /** All sources that know the edge, sorted. */
  sources: readonly EdgeSource[];
  /** When the last call was seen, on the observations' clock, in ms. */
  seenAt: number;
  stale: boolean;
}

interface LiveGraphOptions {
  /** Time without observations after which an edge is stale, in ms. */
  staleAfterMs: number;
  /** Time without observations after which an edge, or one source's part in it, is removed, in ms. */
  expireAfterMs: number;
  maxEdges: number;
}

/** One source's latest observation of an edge. */
interface Observation {
  /** The connector, or the spans: two Prometheus servers may both know an edge. */
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

/** Times are in ms on any one monotonic clock. */
export class LiveGraph {
  readonly #options: LiveGraphOptions;
  readonly #edges = new Set<Edge>();
  /** By caller, then callee, so that looking up an edge builds no string: each poll may have 100,000. */
  readonly #byCaller = new Map<string, Map<string, Edge>>();

  constructor(options: LiveGraphOptions) {
    this.#options = options;
  }

  /**
   * Merges a source's observations. An edge that the source no longer mentions, or reports without calls, keeps its
   * last figures and ages. Without `seenAt`, the call was seen just now.
   * @param origin distinguishes sources of the same kind
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

  /** Removes what has expired. @returns how many edges beyond the maximum were dropped, least called first */
  advance(now: number): number {
    const oldest = now - this.#options.expireAfterMs;
    for (const edge of this.#edges) {
      if (edge.observations.every(({ seenAt }) => seenAt > oldest)) continue;
      edge.observations = edge.observations.filter(({ seenAt }) => seenAt > oldest);
      if (edge.observations.length === 0) this.#forget(edge);
    }
    const excess = this.#edges.size - this.#options.maxEdges;
    if (excess <= 0) return 0;
    // The sort is stable: among equally called edges, the newest are dropped.
    const leastCalled = [...this.merged(now)]
      .sort((one, other) => callsOf(other) - callsOf(one))
      .slice(this.#options.maxEdges);
    for (const { caller, callee } of leastCalled) {
      const edge = this.#byCaller.get(caller)?.get(callee);
      if (edge) this.#forget(edge);
    }
    return excess;
  }

  /** Every edge, in insertion order. */
  *merged(now: number): Generator<MergedEdge> {
    for (const { key, caller, callee, observations } of this.#edges) {
      const seenAt = observations.reduce((latest, seen) => Math.max(latest, seen.seenAt), Number.NEGATIVE_INFINITY);
      const stale = this.#isOld(seenAt, now);
      const { figures } = observations.reduce((most, seen) =>
        // A silent source does not override one that still reports.
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

/**
 * One list shared by all edges with the same sources, as almost all have: it would otherwise dominate an edge's memory.
 */
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

/** A rate of nothing is NaN, and a histogram without an upper bound gives infinity: non-finite figures are left out. */
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

/**
 * Normalizes a service's name for the protocol: trimmed, well-formed, without control characters, clipped.
 * @returns undefined when nothing is left
 */
export function cleanName(name: string): string | undefined {
  // Fast path: most names are clean, and this runs for every edge of every poll.
  if (/^[!-~](?:[ -~]{0,98}[!-~])?$/u.test(name)) return name;
  // Overlong names are cut first, and copied: a slice would keep the whole string in memory.
  const short =
    name.length > 4 * MAX_NAME_CHARACTERS ? Buffer.from(name.slice(0, 4 * MAX_NAME_CHARACTERS)).toString() : name;
  const clean = short
    .replaceAll(/\p{Cc}/gu, '')
    .toWellFormed()
    .trim()
    .slice(0, MAX_NAME_CHARACTERS);
  // The cut may have split a surrogate pair.
  return (clean.isWellFormed() ? clean : clean.slice(0, -1)).trim() || undefined;
}
