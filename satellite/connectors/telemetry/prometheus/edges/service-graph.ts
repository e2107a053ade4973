import { quantile, rateByEdge, type EdgeQueries } from './promql.ts';

const ends = { caller: ['client'], callee: ['server'] };

/**
 * The metrics that Tempo's generator and the OpenTelemetry Collector's service graph connector derive from spans.
 * Latency is what the called service measured, or the caller where the called one sends no spans, as databases.
 */
export function serviceGraphQueries(range: string): EdgeQueries {
  const rate = (metric: string, keep?: string[]) =>
    rateByEdge(`traces_service_graph_request_${metric}`, range, ends, keep);
  const latency = (q: number) =>
    `${quantile(q, rate('server_seconds_bucket', ['le']))} or ${quantile(q, rate('client_seconds_bucket', ['le']))}`;
  return {
    source: 'service-graph',
    calls: `${rate('total')} > 0`,
    failures: `${rate('failed_total')} > 0`,
    p50: latency(0.5),
    p95: latency(0.95),
  };
}
