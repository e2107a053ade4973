import { quantile, rateByEdge, type EdgeQueries } from './promql.ts';

const ends = {
  caller: ['deployment', 'statefulset', 'daemonset'],
  callee: ['dst_deployment', 'dst_statefulset', 'dst_daemonset'],
};

/** The metrics of Linkerd's proxies, as callers report them: those of the called say nothing about who called. */
export function linkerdQueries(range: string): EdgeQueries {
  const rate = (metric: string, matcher = '', keep?: string[]) =>
    rateByEdge(`${metric}{direction="outbound"${matcher}}`, range, ends, keep);
  const buckets = rate('response_latency_ms_bucket', '', ['le']);
  return {
    source: 'linkerd',
    calls: `${rate('response_total')} > 0`,
    failures: `${rate('response_total', ',classification="failure"')} > 0`,
    p50: quantile(0.5, buckets, 1000),
    p95: quantile(0.95, buckets, 1000),
  };
}
