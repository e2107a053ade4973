import type { z } from 'zod';
import type {
  Change,
  MetricDescriptor,
  ServiceEdge,
  ServiceSummary,
  SourceDescription,
  TelemetrySource,
  TimeWindow,
} from './port.ts';
import type {
  SourceChangesResponse,
  SourceDependenciesResponse,
  SourceListResponse,
  SourceMetricsResponse,
  SourceServicesResponse,
} from './schemas.ts';

type Presented = z.input<typeof SourceListResponse>['sources'][number];

export const MAX_ALERTS = 50;

export function presentSource(
  { id, owner, kind, capabilities }: Pick<TelemetrySource, 'id' | 'owner' | 'kind' | 'capabilities'>,
  said: SourceDescription | { error: string },
): Presented {
  const shared = { id, owner, kind, capabilities: [...capabilities], satellite: satelliteOf(id) };
  if ('error' in said) {
    return { ...shared, title: id, window: null, baseline: null, alerts: [], error: said.error };
  }
  return {
    ...shared,
    title: said.title,
    capabilities: said.capabilities,
    window: period(said.window),
    baseline: period(said.baseline),
    alerts: said.alerts.slice(0, MAX_ALERTS).map(({ name, service, metric, at, summary }) => ({
      name,
      service,
      metric: metric ?? null,
      at: iso(at),
      summary,
    })),
    error: null,
  };
}

export const presentService = ({
  name,
  description,
  metrics,
}: ServiceSummary): z.input<typeof SourceServicesResponse>['services'][number] => ({
  name,
  description: description ?? null,
  metrics,
});

export const presentMetric = (one: MetricDescriptor): z.input<typeof SourceMetricsResponse>['metrics'][number] => ({
  metric: one.metric,
  services: one.services,
  service_count: one.serviceCount,
  statistics: one.statistics,
  unit: one.unit ?? null,
  type: one.type,
  help: one.help ?? null,
});

export const presentCall = ({
  caller,
  callee,
  callsPerSecond,
}: ServiceEdge): z.input<typeof SourceDependenciesResponse>['calls'][number] => ({
  caller,
  callee,
  calls_per_second: callsPerSecond ?? null,
});

export const presentChange = ({
  id,
  at,
  service,
  kind,
  summary,
  author,
  url,
}: Change): z.input<typeof SourceChangesResponse>['changes'][number] => ({
  id,
  at: iso(at),
  service: service ?? null,
  kind,
  summary,
  author: author ?? null,
  url: url ?? null,
});

/** `satellite:NAME/CONNECTOR` is behind a satellite. */
function satelliteOf(id: string): string | null {
  return /^satellite:([^/]+)\//u.exec(id)?.[1] ?? null;
}

export const presentWindow = ({ from, to }: TimeWindow) => ({ from: iso(from), to: iso(to) });

const period = (window: TimeWindow | undefined): Presented['window'] => (window ? presentWindow(window) : null);

/** @param seconds since 1970 */
const iso = (seconds: number): string => new Date(seconds * 1_000).toISOString();
