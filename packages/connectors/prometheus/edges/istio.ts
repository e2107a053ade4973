import { quantileByEdge, rateByEdge, type EdgeQueries, type Naming } from './promql.ts';

const caller = ['source_workload', 'source_canonical_service'];
const known = 'source_workload!="unknown",source_canonical_service!="unknown"';

/** Istio's names for destinations that are unknown or passed through. */
const nowhere = 'unknown|.*[Pp]assthrough.*|BlackHoleCluster';

/** A destination outside the mesh has no workload and is named by its service, which only callers report. */
const parts = [
  {
    matchers: `${known},destination_workload!="unknown",destination_canonical_service!="unknown"`,
    callee: ['destination_workload', 'destination_canonical_service'],
  },
  {
    matchers: `${known},destination_workload="unknown",destination_service_name!~"${nowhere}"`,
    callee: ['destination_service_name'],
  },
];

/**
 * The metrics of Istio's proxies. Both ends of a call report it: samples keep their `reporter`, so that only one
 * counts.
 */
export function istioQueries(range: string): EdgeQueries {
  const everywhere = (query: (matchers: string, naming: Naming) => string) =>
    parts.map(({ matchers, callee }) => query(matchers, { caller, callee, keep: ['reporter'] })).join(' or ');
  const rate = (matcher: string) =>
    everywhere((matchers, naming) => `${rateByEdge(`istio_requests_total{${matchers}${matcher}}`, range, naming)} > 0`);
  const latency = (q: number) =>
    everywhere((matchers, naming) => {
      const buckets = `istio_request_duration_milliseconds_bucket{${matchers}}`;
      return quantileByEdge(q, buckets, range, { ...naming, unitsPerSecond: 1000 });
    });
  return {
    source: 'istio',
    calls: rate(''),
    failures: rate(',response_code=~"5.."'),
    p50: latency(0.5),
    p95: latency(0.95),
  };
}
