import { istioQueries } from './istio.ts';
import { linkerdQueries } from './linkerd.ts';
import type { EdgeQueries } from './promql.ts';
import { serviceGraphQueries } from './service-graph.ts';

/** The queries of all known families of metrics. @param windowSeconds window of rates */
export function edgeQueries(windowSeconds: number): EdgeQueries[] {
  const range = `${Math.max(1, Math.ceil(windowSeconds))}s`;
  return [serviceGraphQueries(range), istioQueries(range), linkerdQueries(range)];
}
