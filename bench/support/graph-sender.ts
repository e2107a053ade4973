import { randomUUID } from 'node:crypto';
import type { DependencyGraphs } from '../../src/features/satellites/graph/index.ts';
import { MAX_EDGES_PER_MESSAGE, type GraphMessage, type WireEdge } from '@casebook/wire';
import type { TestSatellite } from '../../test/features/satellites/graph/support.ts';

export interface GraphSender {
  snapshot(edges: WireEdge[]): Promise<void>;
  delta(edges: WireEdge[]): Promise<void>;
}

/** Sends as a satellite does: in parts, numbered. */
export function senderOf(store: DependencyGraphs, satellite: TestSatellite): GraphSender {
  let epoch = randomUUID();
  let seq = 0;
  const send = async (kind: GraphMessage['kind'], edges: WireEdge[]): Promise<void> => {
    for (let from = 0; from < edges.length; from += MAX_EDGES_PER_MESSAGE) {
      const part = edges.slice(from, from + MAX_EDGES_PER_MESSAGE);
      const last = from + part.length === edges.length;
      const message = { type: 'graph' as const, epoch, seq: seq++, kind, last, edges: part, gone: [] };
      const answer = await store.ingest(satellite, message, satellite.connectionId);
      if (answer !== 'ok') throw new Error(`part ${message.seq} of a ${kind} was answered with ${answer}`);
    }
  };
  return {
    snapshot(edges) {
      [epoch, seq] = [randomUUID(), 0];
      return send('snapshot', edges);
    },
    delta: (edges) => send('delta', edges),
  };
}
