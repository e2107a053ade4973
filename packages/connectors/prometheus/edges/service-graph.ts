import { quantileByEdge, rateByEdge, type EdgeQueries } from './promql.ts';

const naming = { caller: ['client'], callee: ['server'] };

/**
 * The metrics that Tempo's generator and the OpenTelemetry Collector's service graph connector derive from spans.
 * Latency is measured by the called service, or by the caller if the called one (a database, for example) sends no
 * spans.
 */
export function serviceGraphQueries(range: string): EdgeQueries {
  const metric = (name: string) => `traces_service_graph_request_${name}`;
  const rate = (name: string) => `${rateByEdge(metric(name), range, naming)} > 0`;
  const latency = (q: number) =>
    ['server_seconds_bucket', 'client_seconds_bucket']
      .map((name) => quantileByEdge(q, metric(name), range, naming))
      .join(' or ');
  return {
    source: 'service-graph',
    calls: rate('total'),
    failures: rate('failed_total'),
    p50: latency(0.5),
    p95: latency(0.95),
  };
}
