import type { ServiceEdge, TimeWindow } from '../port.ts';
import type { InstantSample, PrometheusClient } from './client.ts';

/**
 * Who called whom in a window: the union of the service graph that tracing backends derive from spans
 * (`traces_service_graph_request_total`) and the reports of Istio's proxies (`istio_requests_total`). Edges without
 * calls in the window are left out.
 */
export async function readServiceGraph(
  client: PrometheusClient,
  { from, to }: TimeWindow,
  signal: AbortSignal,
): Promise<ServiceEdge[]> {
  const range = `${Math.max(1, Math.ceil(to - from))}s`;
  const istioLabels = [
    'reporter',
    'source_workload',
    'source_canonical_service',
    'destination_workload',
    'destination_canonical_service',
    'destination_service_name',
  ];
  const [traces, istio] = await Promise.all([
    client.query(`sum by (client, server) (rate(traces_service_graph_request_total[${range}])) > 0`, to, signal),
    client.query(`sum by (${istioLabels.join(', ')}) (rate(istio_requests_total[${range}])) > 0`, to, signal),
  ]);
  return mergeEdges([
    sumEdges(traces, (labels) => [labels['client'], labels['server']]),
    // Caller and callee may both report a request: each reporter counts separately, and the larger count is right.
    ...['source', 'destination', ''].map((reporter) =>
      sumEdges(
        istio.filter(({ labels }) => (labels['reporter'] ?? '') === reporter),
        (labels) => [
          known(labels['source_workload']) ?? labels['source_canonical_service'],
          known(labels['destination_workload']) ??
            known(labels['destination_canonical_service']) ??
            labels['destination_service_name'],
        ],
      ),
    ),
  ]);
}

/** Istio's name for whatever is outside the mesh is `unknown`. */
function known(name: string | undefined): string | undefined {
  return name === undefined || name === '' || name === 'unknown' ? undefined : name;
}

function sumEdges(
  samples: InstantSample[],
  ends: (labels: Record<string, string>) => [string | undefined, string | undefined],
): ServiceEdge[] {
  const sums = new Map<string, ServiceEdge>();
  for (const { labels, value } of samples) {
    const [caller, callee] = ends(labels).map(known);
    if (!caller || !callee || !(value > 0)) continue;
    const key = JSON.stringify([caller, callee]);
    sums.set(key, { caller, callee, callsPerSecond: (sums.get(key)?.callsPerSecond ?? 0) + value });
  }
  return [...sums.values()];
}

function mergeEdges(graphs: ServiceEdge[][]): ServiceEdge[] {
  const merged = new Map<string, ServiceEdge>();
  for (const edge of graphs.flat()) {
    const key = JSON.stringify([edge.caller, edge.callee]);
    const seen = merged.get(key);
    if (!seen || (seen.callsPerSecond ?? 0) < (edge.callsPerSecond ?? 0)) merged.set(key, edge);
  }
  return [...merged.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, edge]) => edge);
}
