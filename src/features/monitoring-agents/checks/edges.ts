/** Reads the calls between services in a source's answer, without trusting its form. */
import { SourceError } from '../../sources/port.ts';
import { listOf, membersOf } from './ask.ts';
import { stableName } from './figures.ts';

export interface CheckedEdge {
  caller: string;
  callee: string;
  callsPerSecond?: number;
  /** 0 to 1. */
  errorRatio?: number;
  p95Seconds?: number;
  isStale: boolean;
}

const MAX_EDGES = 100_000;

/** @throws {SourceError} when nothing in the answer is a call */
export function readEdges(answer: unknown): CheckedEdge[] {
  const list = listOf(answer, 'calls', MAX_EDGES);
  const edges: CheckedEdge[] = [];
  for (let index = 0; index < list.length; index++) {
    const edge = membersOf(list[index]);
    if (!edge || !isName(edge.caller) || !isName(edge.callee)) continue;
    const callsPerSecond = measured(edge.callsPerSecond);
    const errorRatio = measured(edge.errorRatio);
    const p95Seconds = measured(edge.p95Seconds);
    edges.push({
      caller: stableName(edge.caller),
      callee: stableName(edge.callee),
      ...(callsPerSecond !== undefined && { callsPerSecond }),
      ...(errorRatio !== undefined && errorRatio <= 1 && { errorRatio }),
      ...(p95Seconds !== undefined && { p95Seconds }),
      isStale: edge.stale === true,
    });
  }
  if (list.length > 0 && edges.length === 0) {
    throw new SourceError(`none of the ${list.length} calls from the source can be read`);
  }
  return edges;
}

/** @throws {SourceError} when the answer is not a graph */
export function readLiveGraph(answer: unknown): { asOf: number; edges: CheckedEdge[]; truncated: boolean } {
  const graph = membersOf(answer);
  if (!graph || typeof graph.asOf !== 'number' || !Number.isFinite(graph.asOf)) {
    throw new SourceError('the source did not return a graph with a time');
  }
  return { asOf: graph.asOf, edges: readEdges(graph.edges), truncated: Boolean(graph.truncated) };
}

const isName = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

const measured = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
