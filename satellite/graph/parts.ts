import { MAX_EDGES_PER_MESSAGE, type GraphMessage } from '@casebook/wire';

export type GraphPart = Pick<GraphMessage, 'edges' | 'gone'>;

/** Maximum size of one part's edges as JSON: a message must stay below the maximum frame size. */
const MAX_MESSAGE_BYTES = 700_000;

/** Splits a graph, or a change to it, into parts that fit into messages. Returns at least one part, possibly empty. */
export function partsOf(edges: GraphPart['edges'], gone: GraphPart['gone']): GraphPart[] {
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
