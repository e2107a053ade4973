/** Turns the graph into messages: a snapshot, then changes since the last message. No clock, no timers. */
import type { GraphMessage, WireEdge } from '@casebook/wire';
import type { MergedEdge } from './live-graph.ts';
import { partsOf, type GraphPart } from './parts.ts';
import { isSignificant } from './significance.ts';

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
