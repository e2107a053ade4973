/** Edges for an answer: a bounded number, most called first. Pure. */
import { sourceBits, sourcesOf } from '../sources.ts';
import type { GraphEdge } from './answer.ts';
import type { CallGraph } from './call-graph.ts';
import { findEdge, rowAt, type EdgeRow, type EdgeTable } from './table.ts';

export interface BoundedEdges {
  edges: GraphEdge[];
  truncated: boolean;
}

/**
 * @param tables sources of the graph, with when they were last confirmed
 * @param isMember 1 for services that both ends of an edge must belong to; all by default
 * @param limit maximum number of edges
 */
export function edgesAmong(
  graph: CallGraph,
  tables: readonly { asOf: Date; table: EdgeTable }[],
  isMember: Uint8Array | undefined,
  limit: number,
): BoundedEdges {
  const { services, offsets, callees, names } = graph;
  const edges = new Uint32Array(graph.edges);
  const rates = new Float64Array(graph.edges);
  let size = 0;
  for (let caller = 0; caller < services; caller++) {
    if (isMember?.[caller] === 0) continue;
    for (let edge = offsets[caller]!; edge < offsets[caller + 1]!; edge++) {
      if (isMember?.[callees[edge]!] === 0) continue;
      rates[size] = rateFor(graph, edge);
      edges[size++] = edge;
    }
  }
  // Typed arrays sort numbers fast; names are compared only from the limit's rate upwards.
  const least = limit < size ? rates.slice(0, size).sort()[size - limit]! : Number.NEGATIVE_INFINITY;
  const top = edges.subarray(0, size).filter((edge) => rateFor(graph, edge) >= least);
  const pairs = Array.from(top, (edge) => ({ edge, caller: callerOf(graph, edge), rate: rateFor(graph, edge) }));
  pairs.sort(
    (a, b) =>
      b.rate - a.rate ||
      order(names[a.caller]!, names[b.caller]!) ||
      order(names[callees[a.edge]!]!, names[callees[b.edge]!]!),
  );
  const shown = pairs.slice(0, limit).map(({ edge, caller }) => edgeOf(tables, names[caller]!, names[callees[edge]!]!));
  return { edges: shown, truncated: size > limit };
}

/** Unknown rates come last. */
const rateFor = ({ rates }: CallGraph, edge: number): number => (Number.isNaN(rates[edge]!) ? -1 : rates[edge]!);

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Binary search for the last service whose edges begin at or before this one. */
function callerOf({ offsets, services }: CallGraph, edge: number): number {
  let [low, high] = [0, services];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (offsets[middle]! <= edge) low = middle;
    else high = middle;
  }
  return low;
}

/** Figures come from the satellite that sees most calls; the time from whichever saw the edge last. */
function edgeOf(tables: readonly { asOf: Date; table: EdgeTable }[], caller: string, callee: string): GraphEdge {
  const seen = tables.flatMap(({ asOf, table }) => {
    const edge = findEdge(table, caller, callee);
    if (edge === -1) return [];
    const row = rowAt(table, table.names.ids.get(caller)!, edge);
    return [{ ...row, seenAt: row.stale ? row.seenAt : Math.max(row.seenAt, asOf.getTime()) }];
  });
  const busiest = seen.reduce((most, row) =>
    known(row.callsPerSecond, -1) > known(most.callsPerSecond, -1) ? row : most,
  );
  return {
    caller,
    callee,
    ...measured(busiest),
    sources: sourcesOf(seen.reduce((bits, { sources }) => bits | sources, sourceBits([]))),
    stale: seen.every(({ stale }) => stale),
    seenAt: new Date(Math.max(...seen.map(({ seenAt }) => seenAt))),
  };
}

const known = (value: number, otherwise: number): number => (Number.isNaN(value) ? otherwise : value);

function measured(row: EdgeRow): Pick<GraphEdge, 'callsPerSecond' | 'errorRatio' | 'p50Seconds' | 'p95Seconds'> {
  const { callsPerSecond, errorRatio, p50Seconds, p95Seconds } = row;
  return {
    ...(!Number.isNaN(callsPerSecond) && { callsPerSecond }),
    ...(!Number.isNaN(errorRatio) && { errorRatio }),
    ...(!Number.isNaN(p50Seconds) && { p50Seconds }),
    ...(!Number.isNaN(p95Seconds) && { p95Seconds }),
  };
}
