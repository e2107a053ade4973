import assert from 'node:assert/strict';
import { MAX_FRAME_BYTES, graphMessage, type GraphMessage, type WireEdge } from '@casebook/wire';

/** The graph as Casebook has it after the messages: what the protocol says, and nothing cleverer. */
export class ReceivingEnd {
  graph = new Map<string, WireEdge>();
  epoch: string | undefined;
  /** Complete snapshots and deltas so far. */
  snapshots = 0;
  deltas = 0;
  #seq = 0;
  #parts: GraphMessage[] = [];

  take(sent: GraphMessage): void {
    const text = JSON.stringify(sent);
    assert.ok(Buffer.byteLength(text) < MAX_FRAME_BYTES);
    const message = graphMessage.parse(JSON.parse(text));
    if (message.kind === 'snapshot' && message.epoch !== this.epoch) {
      this.epoch = message.epoch;
      this.#seq = 0;
      this.#parts = [];
    }
    assert.equal(message.epoch, this.epoch);
    assert.equal(message.seq, this.#seq);
    this.#seq += 1;
    this.#parts.push(message);
    if (!message.last) return;
    if (message.kind === 'snapshot') this.graph = new Map();
    for (const part of this.#parts) {
      assert.equal(part.kind, message.kind);
      for (const [caller, callee] of part.gone) assert.ok(this.graph.delete(`${caller}>${callee}`));
      for (const edge of part.edges) this.graph.set(`${edge.caller}>${edge.callee}`, edge);
    }
    this.#parts = [];
    if (message.kind === 'snapshot') this.snapshots += 1;
    else this.deltas += 1;
  }

  edge(caller: string, callee: string): WireEdge {
    const edge = this.graph.get(`${caller}>${callee}`);
    assert.ok(edge, `${caller} > ${callee} is not among ${[...this.graph.keys()].join(', ')}`);
    return edge;
  }
}
