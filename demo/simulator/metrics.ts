import { mixtureQuantile, type Latency } from './latency.ts';
import type { Scenario, ServiceSpec, SystemSpec } from './model.ts';
import { createRandom, type Random } from './random.ts';
import type { ServiceState, StepState } from './state.ts';

export interface MetricColumn {
  service: string;
  metric: string;
  statistic?: string;
  /** One value a step; NaN is missing. */
  values: number[];
}

/** Descriptions of the metrics, as written to metrics.json. */
export const metricCatalog: Record<string, { unit: string; type: 'counter' | 'gauge'; help: string }> = {
  request_rate: { unit: 'requests/s', type: 'gauge', help: 'Requests served, all replicas' },
  error_ratio: { unit: 'ratio', type: 'gauge', help: 'Share of requests answered with an error (5xx or its like)' },
  latency: { unit: 's', type: 'gauge', help: 'Time to serve a request, failed ones included' },
  cpu_utilization: { unit: 'ratio', type: 'gauge', help: 'CPU used against the limit, all replicas' },
  cpu_throttled_ratio: {
    unit: 'ratio',
    type: 'gauge',
    help: 'Share of scheduler periods in which the CPU limit was hit',
  },
  memory_working_set: { unit: 'MiB', type: 'gauge', help: 'Working set, mean of the replicas' },
  replicas_available: { unit: 'replicas', type: 'gauge', help: 'Replicas that serve requests' },
  container_restarts_total: { unit: 'restarts', type: 'counter', help: 'Restarts of containers since the deployment' },
  db_pool_in_use: { unit: 'connections', type: 'gauge', help: 'Database connections handed out, all replicas' },
  db_pool_size: { unit: 'connections', type: 'gauge', help: 'Database connections the pools may open, all replicas' },
  db_pool_pending: { unit: 'requests', type: 'gauge', help: 'Requests that wait for a database connection' },
  db_pool_wait: { unit: 's', type: 'gauge', help: 'Time to get a database connection' },
  active_connections: {
    unit: 'connections',
    type: 'gauge',
    help: 'Sessions that run a statement or hold a transaction',
  },
  disk_reads: { unit: 'operations/s', type: 'gauge', help: 'Disk read operations' },
};

/** What a monitoring system would have recorded of a simulated run, with the noise of finite samples. */
export function observeMetrics(
  system: SystemSpec,
  scenario: Scenario,
  steps: StepState[],
  stepSeconds: number,
): MetricColumn[] {
  return system.services.flatMap((spec) => {
    const random = createRandom(scenario.seed, `${scenario.id}/metrics/${spec.name}`);
    const columns = new Map<string, MetricColumn>();
    steps.forEach(({ services }, index) => {
      // A connection that is handed out is a session of the database, whether it runs a statement or not.
      const active = [...services.values()]
        .filter(({ pool }) => pool?.target === spec.name)
        .reduce((sum, { pool }) => sum + pool!.inUse, 0);
      const put = (metric: string, value: number, statistic?: string) => {
        const key = `${metric} ${statistic ?? ''}`;
        const column = columns.get(key) ?? { service: spec.name, metric, statistic, values: [] };
        columns.set(key, column);
        while (column.values.length < index) column.values.push(Number.NaN);
        column.values.push(value);
      };
      observeService(spec, services.get(spec.name)!, active, stepSeconds, random, put);
    });
    return [...columns.values()];
  });
}

function observeService(
  spec: ServiceSpec,
  state: ServiceState,
  active: number,
  stepSeconds: number,
  random: Random,
  put: (metric: string, value: number, statistic?: string) => void,
): void {
  const jitter = (value: number, spread: number) => value * Math.exp(spread * random.normal());
  const requests = random.poisson(state.requestsPerSecond * stepSeconds);
  put('request_rate', requests / stepSeconds);
  const expected = state.routes.reduce((sum, route) => sum + route.requestsPerSecond * route.errorRatio, 0);
  const errors = random.poisson(expected * stepSeconds);
  put('error_ratio', requests === 0 ? Number.NaN : Math.min(1, errors / requests), 'Average');
  const parts = state.routes.map((route): { weight: number; latency: Latency } => ({
    weight: route.requestsPerSecond,
    latency: route.latency,
  }));
  for (const [statistic, q, spread] of [
    ['p50', 0.5, 0.4],
    ['p95', 0.95, 0.9],
    ['p99', 0.99, 1.6],
  ] as const) {
    const noise = 0.012 + spread / Math.sqrt(Math.max(4, requests));
    put('latency', requests === 0 ? Number.NaN : jitter(mixtureQuantile(parts, q) / 1000, noise), statistic);
  }
  if (spec.kind === 'external') return;
  put('cpu_utilization', Math.min(1, jitter(state.cpuUtilization + 0.01, 0.05)), 'Average');
  put('memory_working_set', jitter(state.memoryMb, 0.008), 'Average');
  if (spec.kind === 'http') {
    put('cpu_throttled_ratio', Math.min(1, jitter(state.throttledRatio, 0.1) + 0.002 * random.next()), 'Average');
    put('replicas_available', state.replicasAvailable);
    put('container_restarts_total', state.restarts);
  }
  if (spec.kind === 'postgres') {
    put('active_connections', random.poisson(active + 2));
    put('disk_reads', jitter(state.diskReads + 3, 0.15));
  }
  if (!state.pool) return;
  put('db_pool_in_use', Math.min(state.pool.size, random.poisson(state.pool.inUse)));
  put('db_pool_size', state.pool.size);
  put('db_pool_pending', random.poisson(state.pool.pending));
  put('db_pool_wait', jitter((state.pool.waitMs + 0.2) / 1000, 0.2), 'p95');
}
