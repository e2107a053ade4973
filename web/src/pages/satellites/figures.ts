/** Numbers of the dependency graph, for people. */
import type { Schema } from '../../api/client.ts';
import type { ServiceGraph } from '../../components/graph/service-graph.tsx';

/** An edge as the graph draws it, without unknown values. */
export const callsOf = (edge: Schema<'DependencyEdge'>): Parameters<typeof ServiceGraph>[0]['calls'][number] => ({
  caller: edge.caller,
  callee: edge.callee,
  stale: edge.stale,
  ...(edge.calls_per_second !== null && { callsPerSecond: edge.calls_per_second }),
  ...(edge.error_ratio !== null && { errorRatio: edge.error_ratio }),
  ...(edge.p95_seconds !== null && { p95Seconds: edge.p95_seconds }),
});
