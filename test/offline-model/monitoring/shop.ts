/** A live shop as a Prometheus, a Loki and a dependency graph behind one satellite show it, and a recorded incident beside it. */
import type { MetricDescriptor, SourceCatalog, TelemetrySource } from '../../../src/features/sources/port.ts';
import { ALERT_AT, catalogOf, memorySource, sampleIncident } from '../../support/telemetry-source.ts';

export const SERVICES = ['web', 'gateway', 'checkout', 'cart', 'payment', 'orders', 'fraud', 'postgres-catalog'];
const NOW = Date.parse('2026-11-20T09:00:00Z') / 1_000;

type Described = Pick<MetricDescriptor, 'metric' | 'type'> & Partial<MetricDescriptor>;

const METRICS: Described[] = [
  {
    metric: 'http_request_duration_seconds',
    type: 'histogram',
    unit: 's',
    statistics: ['p50', 'p95', 'p99', 'average', 'rate', 'p90'],
  },
  { metric: 'http_requests_total', type: 'counter', statistics: ['rate'] },
  { metric: 'process_resident_memory_bytes', type: 'gauge', unit: 'B', statistics: ['average', 'max', 'min', 'sum'] },
  { metric: 'process_cpu_seconds_total', type: 'counter', unit: 's', statistics: ['rate'] },
  { metric: 'db_pool_pending', type: 'gauge', statistics: ['average', 'max', 'min', 'sum'] },
  {
    metric: 'nodejs_eventloop_lag_mean_seconds',
    type: 'gauge',
    unit: 's',
    statistics: ['average', 'max', 'min', 'sum'],
  },
];

/** @param extra more services, as hostile as they are named */
export function liveShop(extra: readonly string[] = []): TelemetrySource[] {
  const services = [...SERVICES, ...extra];
  const timestamps = Array.from({ length: 120 }, (_, index) => NOW - 7_200 + index * 60);
  const series = services.flatMap((service) =>
    [
      'http_request_duration_seconds',
      'http_requests_total:error_ratio',
      ...METRICS.slice(1).map(({ metric }) => metric),
    ].map((metric) => ({
      service,
      metric,
      unit: metric.endsWith(':error_ratio') ? 'ratio' : METRICS.find((one) => one.metric === metric)?.unit,
      statistic: metric === 'http_request_duration_seconds' ? 'p95' : undefined,
      timestamps,
      values: timestamps.map((_, index) => 0.2 * (1 + 0.02 * Math.sin(index))),
    })),
  );
  const prometheus: TelemetrySource = {
    ...memorySource({
      id: 'satellite:shop/prometheus',
      series,
      edges: [{ caller: 'checkout', callee: 'payment' }],
      promql: () => [{ labels: {}, timestamps, values: timestamps.map(() => 4) }],
      description: { id: 'satellite:shop/prometheus', kind: 'prometheus', title: 'Prometheus of satellite shop' },
    }),
    kind: 'prometheus',
    searchMetrics: async ({ service, limit }) =>
      METRICS.slice(0, limit).map((one) => ({
        services: service === undefined ? services.slice(0, 20) : [service],
        serviceCount: service === undefined ? services.length : 1,
        statistics: [],
        ...one,
      })),
  };
  const loki: TelemetrySource = {
    ...memorySource({
      id: 'satellite:shop/loki',
      lines: [{ at: NOW - 60, service: 'orders', level: 'error', message: 'connection refused' }],
      series: undefined,
      description: { kind: 'loki', title: 'Loki of satellite shop' },
    }),
    kind: 'loki',
    services: async () => services.map((name) => ({ name, metrics: 0 })),
  };
  return [prometheus, loki];
}

export function shopSources(extra: readonly string[] = []): SourceCatalog {
  return catalogOf(...liveShop(extra), sampleIncident());
}

export { ALERT_AT, NOW };
