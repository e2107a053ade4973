import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ConnectionPool } from './pool.ts';
import { resourceMetrics } from './resources.ts';

/** Close together, so that a percentile barely moves unless latency does. */
const BUCKETS = [0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2.5, 5];

/** What a service of the shop reports at `/metrics`, under the names that Prometheus and Tempo use. */
export function createMetrics(service: string, pool: ConnectionPool | undefined) {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  const registers = [registry];
  if (pool) {
    const gauge = (name: string, help: string, value: (of: ConnectionPool) => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(value(pool));
        },
      });
    gauge('db_pool_connections_in_use', 'Database connections in use.', ({ inUse }) => inUse);
    gauge('db_pool_size', 'Database connections there can be.', ({ size }) => size);
    gauge('db_pool_waiting_requests', 'Requests that wait for a database connection.', ({ waiting }) => waiting);
  }
  return {
    registry,
    resources: resourceMetrics(registry),
    requests: new Counter({
      name: 'http_requests_total',
      help: 'HTTP requests answered.',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    duration: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time to answer HTTP requests.',
      labelNames: ['method', 'route'],
      buckets: BUCKETS,
      registers,
    }),
    /** Only with a database: an empty histogram looks like a service that does not respond. */
    queryDuration:
      pool &&
      new Histogram({
        name: 'db_query_duration_seconds',
        help: 'Time of database queries, without the wait for a connection.',
        buckets: BUCKETS,
        registers,
      }),
    /** The service graph that tracing backends derive from spans; here callers report it. */
    graph: {
      requests: new Counter({
        name: 'traces_service_graph_request_total',
        help: 'Requests between two services.',
        labelNames: ['client', 'server'],
        registers,
      }),
      failed: new Counter({
        name: 'traces_service_graph_request_failed_total',
        help: 'Failed requests between two services.',
        labelNames: ['client', 'server'],
        registers,
      }),
      duration: new Histogram({
        name: 'traces_service_graph_request_client_seconds',
        help: 'Time of requests between two services, as the caller sees it.',
        labelNames: ['client', 'server'],
        buckets: BUCKETS,
        registers,
      }),
    },
  };
}

export type ShopMetrics = ReturnType<typeof createMetrics>;
