import { mapConcurrently } from '../../../platform/concurrency.ts';
import { quoteRegex, quoteString } from '../query-language.ts';
import type { PrometheusClient } from './client.ts';

/** Labels that name a service, most telling first. `job` names the scrape job, which is better than nothing. */
const general = [
  'service',
  'service_name',
  'app',
  'app_kubernetes_io_name',
  'destination_workload',
  'destination_canonical_service',
  'destination_service_name',
  'server',
  'deployment',
  'container',
  'job',
] as const;

const istio = ['destination_workload', 'destination_canonical_service', 'destination_service_name'];

/** Labels used to list services; the others name services in certain metrics only. */
export const listingLabels = ['service', 'service_name', 'app', 'app_kubernetes_io_name', ...istio.slice(0, 1)];

/** Labels that hold a request's status. */
export const statusLabels = [
  'code',
  'status',
  'status_code',
  'response_code',
  'http_status_code',
  'http_response_status_code',
];

/** Names are queried in groups, so that a query stays readable and within limits. */
const NAMES_PER_QUERY = 100;

/** The labels that may name a metric's service, in order of preference. */
export function preferredLabels(seriesName: string): readonly string[] {
  // The reporting pod may be the caller's or the callee's: only the destination identifies the service.
  if (seriesName.startsWith('istio_')) return istio;
  if (seriesName.startsWith('traces_service_graph_')) return ['server'];
  // Kubernetes' own exporters put their own name in `service` and `job`.
  if (seriesName.startsWith('container_')) return ['container', ...general];
  if (seriesName.startsWith('kube_')) return ['deployment', 'statefulset', 'daemonset', 'container'];
  return general.filter((label) => label !== 'server');
}

/** How to find the services of a metric. */
export interface MetricServices {
  label: string;
  services: string[];
  /** The label with a request's status, if the metric has one. */
  statusLabel?: string;
}

/**
 * Which label names the service of each metric, and which services have it.
 * @param times unix seconds at which to look; several also find services that have since gone or appeared
 */
export async function findServices(
  client: PrometheusClient,
  seriesNames: string[],
  times: number[],
  signal: AbortSignal,
): Promise<Map<string, MetricServices>> {
  const candidates = [...new Set([...general, 'statefulset', 'daemonset', ...statusLabels])];
  const chunks: string[][] = [];
  for (let i = 0; i < seriesNames.length; i += NAMES_PER_QUERY) chunks.push(seriesNames.slice(i, i + NAMES_PER_QUERY));
  const questions = chunks.flatMap((chunk) => times.map((at) => ({ chunk, at })));
  const answers = await mapConcurrently(questions, 4, ({ chunk, at }) =>
    client.query(
      `count by (__name__, ${candidates.join(', ')}) ({__name__=~${quoteString(chunk.map(quoteRegex).join('|'))}})`,
      at,
      signal,
    ),
  );
  const byName = new Map<string, Record<string, string>[]>();
  for (const { labels } of answers.flat()) {
    const name = labels['__name__'] ?? '';
    const rows = byName.get(name) ?? [];
    byName.set(name, rows);
    rows.push(labels);
  }
  const found = new Map<string, MetricServices>();
  for (const [name, rows] of byName) {
    const label = preferredLabels(name).find((candidate) => rows.some((row) => row[candidate]));
    if (!label) continue;
    found.set(name, {
      label,
      services: [...new Set(rows.flatMap((row) => row[label] || []))].sort(),
      statusLabel: statusLabels.find((candidate) => rows.some((row) => /^[1-5]\d\d$/.test(row[candidate] ?? ''))),
    });
  }
  return found;
}
