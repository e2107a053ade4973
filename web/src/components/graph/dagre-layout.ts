import { Graph, layout } from '@dagrejs/dagre';
import { GAP, type LayoutRequest } from './layered.ts';
import { BOX, type Position } from './types.ts';

/** The careful layout, for graphs viewed as a whole: fewer crossings at a steeply growing cost. */
export function withDagre({ size, edges, direction }: LayoutRequest): Position[] {
  const graph = new Graph();
  graph.setGraph({
    rankdir: direction === 'right' ? 'LR' : 'TB',
    nodesep: GAP.across,
    ranksep: GAP[direction],
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (let node = 0; node < size; node++) graph.setNode(String(node), { ...BOX });
  for (const [from, to] of edges) graph.setEdge(String(from), String(to));
  layout(graph);
  return Array.from({ length: size }, (_, node) => {
    const { x, y } = graph.node(String(node));
    return { x: x ?? 0, y: y ?? 0 };
  });
}
