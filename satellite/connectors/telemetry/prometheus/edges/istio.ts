import { quantile, rateByEdge, type EdgeQueries } from './promql.ts';

const caller = ['source_workload', 'source_canonical_service'];
const known = 'source_workload!="unknown",source_canonical_service!="unknown"';

/** What Istio calls destinations that it does not know, or lets through as they are. */
const nowhere = 'unknown|.*[Pp]assthrough.*|BlackHoleCluster';

/**
 * The metrics of Istio's proxies. Both ends of a call report it: samples keep their `reporter`, so that one of the two
 * counts. What is outside the mesh has no workload and is named by its service, which only callers report.
 */
export function istioQueries(range: string): EdgeQueries {
  const rate = (metric: string, matcher?: string, le: string[] = []) => {
    const select = (matchers: string) => `${metric}{${[known, matchers, matcher].filter(Boolean).join(',')}}`;
    const inside = select('destination_workload!="unknown",destination_canonical_service!="unknown"');
    const outside = select(`destination_workload="unknown",destination_service_name!~"${nowhere}"`);
    const keep = ['reporter', ...le];
    const named = rateByEdge(
      inside,
      range,
      { caller, callee: ['destination_workload', 'destination_canonical_service'] },
      keep,
    );
    return `${named} or ${rateByEdge(outside, range, { caller, callee: ['destination_service_name'] }, keep)}`;
  };
  const buckets = rate('istio_request_duration_milliseconds_bucket', undefined, ['le']);
  return {
    source: 'istio',
    calls: `(${rate('istio_requests_total')}) > 0`,
    failures: `(${rate('istio_requests_total', 'response_code=~"5.."')}) > 0`,
    p50: quantile(0.5, buckets, 1000),
    p95: quantile(0.95, buckets, 1000),
  };
}
