/** Queues for servers and for connections. */
import { shareAbove } from './latency.ts';
import type { Effect, ServiceSpec } from './model.ts';
import type { PoolState } from './state.ts';

/** Waiting time in a queue with `servers` servers, in units of the service time. */
export function queueFactor(load: number, servers: number): number {
  return load ** (Math.sqrt(2 * (servers + 1)) - 1) / (servers * (1 - load));
}

/** Little's law gives the connections in use; what exceeds the pool waits, then fails. */
export function occupyPool(
  spec: ServiceSpec,
  effect: Effect,
  available: number,
  routes: { rate: number; databaseMs: number }[],
): PoolState {
  const { target, size, acquireTimeoutMs } = spec.pool!;
  const total = Math.max(1, Math.round(size * (effect.poolSize ?? 1))) * Math.max(1, available);
  const users = routes.filter(({ databaseMs }) => databaseMs > 0);
  const rate = users.reduce((sum, route) => sum + route.rate, 0);
  const demand = users.reduce(
    (sum, route) => sum + (route.rate * route.databaseMs * (effect.connectionHold ?? 1)) / 1000,
    0,
  );
  const load = demand / total;
  const holdMs = rate > 0 ? (demand / rate) * 1000 : 0;
  const waitMs =
    load >= 1
      ? acquireTimeoutMs * Math.min(1, 0.6 + 0.4 * load)
      : Math.min(acquireTimeoutMs, holdMs * queueFactor(load, total));
  const rejected =
    load > 1 ? 1 - 1 / load : shareAbove({ median: Math.max(1e-3, waitMs), sigma: 0.8 }, acquireTimeoutMs) * load;
  return { target, size: total, inUse: Math.min(total, demand), pending: (rate * waitMs) / 1000, waitMs, rejected };
}
