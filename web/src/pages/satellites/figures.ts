/** Figures of the dependency graph, for people. */
import type { Schema } from '../../api/client.ts';
import type { ServiceGraph } from '../../components/graph/service-graph.tsx';

const figures = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** "12.5 calls/s" */
export const rate = (callsPerSecond: number): string => `${figures.format(callsPerSecond)} calls/s`;

/** "45 %"; "< 1 %" where there is anything at all. @param share 0 to 1 */
export const percent = (share: number): string =>
  share > 0 && share < 0.01 ? '< 1 %' : `${Math.round(share * 100)} %`;

/** An edge as the graph draws it: what is not known is left out. */
export const callsOf = (edge: Schema<'DependencyEdge'>): Parameters<typeof ServiceGraph>[0]['calls'][number] => ({
  caller: edge.caller,
  callee: edge.callee,
  stale: edge.stale,
  ...(edge.calls_per_second !== null && { callsPerSecond: edge.calls_per_second }),
  ...(edge.error_ratio !== null && { errorRatio: edge.error_ratio }),
  ...(edge.p95_seconds !== null && { p95Seconds: edge.p95_seconds }),
});
