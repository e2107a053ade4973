/** Turns the graph into messages: a snapshot, then changes since the last message. No clock, no timers. */
import { type GraphMessage, type WireEdge, MAX_EDGES_PER_MESSAGE } from '@casebook/wire';
import type { MergedEdge } from './live-graph.ts';

/** What Casebook has been sent. Every message built here counts as sent: if one is lost, a snapshot must follow. */
export class GraphPublisher {
  readonly #significantChange: number;
  readonly #newEpoch: () => string;
  #epoch: string | undefined;
  #seq = 0;
  #sent = new Map<string, WireEdge>();

  constructor(significantChange: number, newEpoch: () => string) {
    this.#significantChange = significantChange;
    this.#newEpoch = newEpoch;
  }

  /** The whole graph, in a new epoch. */
  snapshot(edges: Iterable<MergedEdge>, now: number): GraphMessage[] {
    const sent = new Map<string, WireEdge>();
    for (const edge of edges) sent.set(edge.key, onWire(edge, now));
    this.#sent = sent;
    this.#epoch = this.#newEpoch();
    this.#seq = 0;
    return this.#messages('snapshot', this.#epoch, partsOf([...sent.values()], []));
  }

  /**
   * New, removed and significantly changed edges. When there are none, one message without edges, which confirms the
   * rest.
   * @throws when there was no snapshot
   */
  delta(edges: Iterable<MergedEdge>, now: number): GraphMessage[] {
    if (this.#epoch === undefined) throw new Error('A delta must follow a snapshot.');
    const sent = new Map<string, WireEdge>();
    const changed: WireEdge[] = [];
    for (const edge of edges) {
      let wire = this.#sent.get(edge.key);
      if (!wire || isSignificant(wire, edge, this.#significantChange)) {
        wire = onWire(edge, now);
        changed.push(wire);
      }
      sent.set(edge.key, wire);
    }
    const gone: GraphPart['gone'] = [];
    for (const [key, { caller, callee }] of this.#sent) if (!sent.has(key)) gone.push([caller, callee]);
    this.#sent = sent;
    return this.#messages('delta', this.#epoch, partsOf(changed, gone));
  }

  #messages(kind: GraphMessage['kind'], epoch: string, parts: readonly GraphPart[]): GraphMessage[] {
    return parts.map((part, index) => ({
      type: 'graph',
      epoch,
      seq: this.#seq++,
      kind,
      last: index === parts.length - 1,
      ...part,
    }));
  }
}

function onWire(edge: MergedEdge, now: number): WireEdge {
  const { caller, callee, sources, stale } = edge;
  return {
    caller,
    callee,
    callsPerSecond: rounded(edge.callsPerSecond),
    errorRatio: rounded(edge.errorRatio),
    p50Seconds: rounded(edge.p50Seconds),
    p95Seconds: rounded(edge.p95Seconds),
    sources: [...sources],
    seenAgoMs: Math.max(0, Math.round(now - edge.seenAt)),
    stale,
  };
}

/** Four significant digits: more are noise, and bytes on the wire. */
const rounded = (figure: number | undefined): number | undefined =>
  figure === undefined ? undefined : Number(figure.toPrecision(4));

/** The parts of an edge that are compared with what was sent. */
type Compared = Pick<MergedEdge, 'callsPerSecond' | 'errorRatio' | 'p95Seconds' | 'sources' | 'stale'>;

/** Error ratios closer than this are equal: one more failure in a thousand calls is not significant. */
const MIN_RATIO_CHANGE = 0.001;

/**
 * Whether to send an edge again: its staleness or sources changed, or a figure moved far enough, appeared or
 * disappeared. The comparison is with what was sent, not with the previous poll, so that a slow drift is sent too.
 * @param share relative change that counts
 */
function isSignificant(sent: Compared, now: Compared, share: number): boolean {
  return (
    sent.stale !== now.stale ||
    sent.sources.length !== now.sources.length ||
    sent.sources.some((source, index) => source !== now.sources[index]) ||
    differs(sent.callsPerSecond, now.callsPerSecond, share) ||
    differs(sent.errorRatio, now.errorRatio, share, MIN_RATIO_CHANGE) ||
    differs(sent.p95Seconds, now.p95Seconds, share)
  );
}

function differs(sent: number | undefined, now: number | undefined, share: number, least = 0): boolean {
  if (sent === undefined || now === undefined) return sent !== now;
  const change = Math.abs(now - sent);
  return change > share * sent && change >= least;
}

type GraphPart = Pick<GraphMessage, 'edges' | 'gone'>;

/** Maximum size of one part's edges as JSON: a message must stay below the maximum frame size. */
const MAX_MESSAGE_BYTES = 700_000;

/** Splits a graph, or a change to it, into parts that fit into messages. Returns at least one part, possibly empty. */
function partsOf(edges: GraphPart['edges'], gone: GraphPart['gone']): GraphPart[] {
  const parts: GraphPart[] = [{ edges: [], gone: [] }];
  let room = MAX_MESSAGE_BYTES;
  const partFor = (item: unknown, kind: keyof GraphPart): GraphPart => {
    const bytes = Buffer.byteLength(JSON.stringify(item)) + 1;
    const current = parts.at(-1);
    if (current && current[kind].length < MAX_EDGES_PER_MESSAGE && bytes <= room) {
      room -= bytes;
      return current;
    }
    const next: GraphPart = { edges: [], gone: [] };
    parts.push(next);
    room = MAX_MESSAGE_BYTES - bytes;
    return next;
  };
  for (const edge of edges) partFor(edge, 'edges').edges.push(edge);
  for (const pair of gone) partFor(pair, 'gone').gone.push(pair);
  return parts;
}
