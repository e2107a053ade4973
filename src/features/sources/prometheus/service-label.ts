import { mapConcurrently } from '../../../platform/concurrency.ts';
import { quoteRegex, quoteString } from '../query-language.ts';
import type { PrometheusClient } from './client.ts';

/** Labels that name a service, most telling first. `job` names what is scraped, which is better than nothing. */
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

/** Labels that are looked at to list services; the others name services in certain metrics only. */
export const listingLabels = ['service', 'service_name', 'app', 'app_kubernetes_io_name', ...istio.slice(0, 1)];

/** Labels that hold the status of a request. */
export const statusLabels = [
  'code',
  'status',
  'status_code',
  'response_code',
  'http_status_code',
  'http_response_status_code',
];

/** Names are asked for in groups, so that a query stays readable and within limits. */
const NAMES_PER_QUERY = 100;

/** The labels that may name the service a metric is about, in order of preference. */
export function preferredLabels(seriesName: string): readonly string[] {
  // The pod that reports is the caller's as well as the callee's: only the destination says whom it is about.
  if (seriesName.startsWith('istio_')) return istio;
  if (seriesName.startsWith('traces_service_graph_')) return ['server'];
  // Kubernetes' own exporters carry their own name in `service` and `job`.
  if (seriesName.startsWith('container_')) return ['container', ...general];
  if (seriesName.startsWith('kube_')) return ['deployment', 'statefulset', 'daemonset', 'container'];
  return general.filter((label) => label !== 'server');
}

/** Where the services of a metric are to be found. */
export interface MetricServices {
  label: string;
  services: string[];
  /** The label with the status of a request, if the metric has one. */
  statusLabel?: string;
}

/**
 * Which label names the service of each metric, and which services have it.
 * @param times moments to look at, unix seconds; more than one finds services that have since gone or come
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
