/** Collects the parts of a snapshot or delta until the last one has arrived. Pure. */
import { storableText } from '../../../platform/storable.ts';
import { MAX_EDGES, type GraphMessage, type WireEdge } from '@casebook/wire';

export interface Batch {
  kind: GraphMessage['kind'];
  epoch: string;
  firstSeq: number;
  lastSeq: number;
  /** By caller and callee: the latest value of each. */
  edges: Map<string, WireEdge>;
  /** Caller and callee of removed edges; always empty for a snapshot. */
  gone: Map<string, readonly [string, string]>;
  /** The sender had more edges than a graph may have. */
  truncated: boolean;
}

/**
 * Adds a part to the earlier ones.
 * @param before undefined for the first part
 * @returns undefined when parts are missing or too many, which makes the batch worthless
 */
export function addPart(before: Batch | undefined, message: GraphMessage): Batch | undefined {
  const begins = message.kind === 'snapshot' && message.seq === 0;
  if (!begins && (before ? !continues(before, message) : message.kind === 'snapshot')) return undefined;
  const batch = begins || !before ? emptyBatch(message) : before;
  batch.lastSeq = message.seq;
  if (message.kind === 'delta') {
    for (const [caller, callee] of message.gone) {
      const pair = [storableText(caller), storableText(callee)] as const;
      const key = keyOf(...pair);
      batch.edges.delete(key);
      batch.gone.set(key, pair);
    }
    if (batch.gone.size > MAX_EDGES) return undefined;
  }
  // Two names that PostgreSQL considers equal must be equal here.
  for (const edge of message.edges) {
    const [caller, callee] = [storableText(edge.caller), storableText(edge.callee)];
    const key = keyOf(caller, callee);
    if (batch.edges.size >= MAX_EDGES && !batch.edges.has(key)) {
      batch.truncated = true;
      continue;
    }
    batch.gone.delete(key);
    batch.edges.set(key, { ...edge, caller, callee });
  }
  return batch;
}

const emptyBatch = ({ kind, epoch, seq }: GraphMessage): Batch => ({
  kind,
  epoch,
  firstSeq: seq,
  lastSeq: seq,
  edges: new Map(),
  gone: new Map(),
  truncated: false,
});

const continues = (before: Batch, { kind, epoch, seq }: GraphMessage): boolean =>
  before.kind === kind && before.epoch === epoch && before.lastSeq + 1 === seq;

/** Names contain no NUL at this point. */
export const keyOf = (caller: string, callee: string): string => `${caller}\0${callee}`;
