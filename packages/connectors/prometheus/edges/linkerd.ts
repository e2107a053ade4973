import { quantileByEdge, rateByEdge, type EdgeQueries } from './promql.ts';

const naming = {
  caller: ['deployment', 'statefulset', 'daemonset'],
  callee: ['dst_deployment', 'dst_statefulset', 'dst_daemonset'],
};
const outbound = 'direction="outbound"';

/** The metrics of Linkerd's proxies, as callers report them: those of the callee do not name the caller. */
export function linkerdQueries(range: string): EdgeQueries {
  const rate = (matchers: string) => `${rateByEdge(`response_total{${matchers}}`, range, naming)} > 0`;
  const latency = (q: number) =>
    quantileByEdge(q, `response_latency_ms_bucket{${outbound}}`, range, { ...naming, unitsPerSecond: 1000 });
  return {
    source: 'linkerd',
    calls: rate(outbound),
    failures: rate(`${outbound},classification="failure"`),
    p50: latency(0.5),
    p95: latency(0.95),
  };
}
