import { SourceError, type Alert } from '../port.ts';
import type { PrometheusClient } from './client.ts';
import { preferredLabels } from './service-label.ts';

/**
 * The firing alerts. Servers that only speak the query API (Thanos, Mimir without a ruler) are queried for the `ALERTS`
 * series instead, which does not say since when; then `at` is the time of the query.
 * @param now unix seconds
 */
export async function readAlerts(client: PrometheusClient, now: number, signal: AbortSignal): Promise<Alert[]> {
  try {
    return (await client.alerts(signal))
      .filter(({ state }) => state === 'firing')
      .map(({ labels, annotations, activeAt }) => ({
        name: labels['alertname'] ?? 'alert',
        service: serviceOf(labels),
        at: activeAt ? Date.parse(activeAt) / 1000 : now,
        summary: annotations['summary'] ?? annotations['description'] ?? annotations['message'] ?? describe(labels),
      }));
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const firing = await client.query('ALERTS{alertstate="firing"}', undefined, signal);
    return firing.map(({ labels }) => ({
      name: labels['alertname'] ?? 'alert',
      service: serviceOf(labels),
      at: now,
      summary: describe(labels),
    }));
  }
}

function serviceOf(labels: Record<string, string>): string {
  const label = preferredLabels('').find((candidate) => labels[candidate]);
  return (label && labels[label]) ?? labels['instance'] ?? 'unknown';
}

function describe(labels: Record<string, string>): string {
  return Object.entries(labels)
    .filter(([label]) => !['__name__', 'alertname', 'alertstate'].includes(label))
    .map(([label, value]) => `${label}=${value}`)
    .join(', ')
    .slice(0, 500);
}
