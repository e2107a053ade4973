import { istioQueries } from './istio.ts';
import { type EdgeQueries, quantileByEdge, rateByEdge } from './promql.ts';

/** The queries of all known families of metrics. @param windowSeconds window of rates */
export function edgeQueries(windowSeconds: number): EdgeQueries[] {
  const range = `${Math.max(1, Math.ceil(windowSeconds))}s`;
  return [serviceGraphQueries(range), istioQueries(range), linkerdQueries(range)];
}

const ends = { caller: ['client'], callee: ['server'] };

/**
 * The metrics that Tempo's generator and the OpenTelemetry Collector's service graph connector derive from spans.
 * Latency is measured by the called service, or by the caller if the called one (a database, for example) sends no
 * spans.
 */
function serviceGraphQueries(range: string): EdgeQueries {
  const metric = (name: string) => `traces_service_graph_request_${name}`;
  const rate = (name: string) => `${rateByEdge(metric(name), range, ends)} > 0`;
  const latency = (q: number) =>
    ['server_seconds_bucket', 'client_seconds_bucket']
      .map((name) => quantileByEdge(q, metric(name), range, ends))
      .join(' or ');
  return {
    source: 'service-graph',
    calls: rate('total'),
    failures: rate('failed_total'),
    p50: latency(0.5),
    p95: latency(0.95),
  };
}

const workloads = {
  caller: ['deployment', 'statefulset', 'daemonset'],
  callee: ['dst_deployment', 'dst_statefulset', 'dst_daemonset'],
};
const outbound = 'direction="outbound"';

/** The metrics of Linkerd's proxies, as callers report them: those of the callee do not name the caller. */
function linkerdQueries(range: string): EdgeQueries {
  const rate = (matchers: string) => `${rateByEdge(`response_total{${matchers}}`, range, workloads)} > 0`;
  const latency = (q: number) =>
    quantileByEdge(q, `response_latency_ms_bucket{${outbound}}`, range, { ...workloads, unitsPerSecond: 1000 });
  return {
    source: 'linkerd',
    calls: rate(outbound),
    failures: rate(`${outbound},classification="failure"`),
    p50: latency(0.5),
    p95: latency(0.95),
  };
}
