/** What a simulated system consists of, and what can go wrong in it. */
import type { Change } from '../../src/features/sources/port.ts';
import type { LogLevel } from '@casebook/connectors';

export interface CallSpec {
  callee: string;
  /** Route of the callee; the first one when absent. */
  route?: string;
  /** Calls for each request of the caller's route. */
  times: number;
  timeoutMs: number;
  retries: number;
  /** False: the caller answers without it (a recommendation strip, a cache). */
  critical: boolean;
}

export interface RouteSpec {
  name: string;
  calls: CallSpec[];
  /** Work of the route against the service's `workMs`. */
  weight: number;
}

export interface PoolSpec {
  /** The database the connections lead to. */
  target: string;
  /** Connections of one replica. */
  size: number;
  acquireTimeoutMs: number;
}

export interface ServiceSpec {
  name: string;
  kind: 'http' | 'postgres' | 'redis' | 'external';
  description: string;
  replicas: number;
  /** CPUs of one replica. */
  cpus: number;
  /** CPU seconds a request of weight 1 costs. */
  cpuSeconds: number;
  /** Median time of its own work on a request, idle, in ms. */
  workMs: number;
  /** Spread of its own work: standard deviation of the logarithm. */
  sigma: number;
  memoryMb: number;
  memoryLimitMb: number;
  /** Share of requests it fails in health. */
  errorRatio: number;
  pool?: PoolSpec;
  routes: RouteSpec[];
}

export interface SystemSpec {
  /** Callers before callees. */
  services: ServiceSpec[];
  /** Where users arrive, and what they ask for. */
  entry: { service: string; requestsPerSecond: number; routes: Record<string, number> };
}

/** What a fault does to a service at one moment. Absent parts are as in health. */
export interface Effect {
  /** Factor on the time of its own work that is not CPU (disk, locks, remote parties). */
  slowdown?: number;
  /** Factor on the CPU cost of a request. */
  cpuCost?: number;
  /** Factor on the CPUs it may use. */
  cpuLimit?: number;
  /** CPUs that other work in the same service takes. */
  backgroundCpus?: number;
  /** Additional share of failed requests. */
  errorRatio?: number;
  /** Factor on how long a request keeps its database connection. */
  connectionHold?: number;
  /** Factor on the pool's size. */
  poolSize?: number;
  /** Memory that each request leaves behind, in MB. */
  leakMb?: number;
  /** Replaces the time-out of calls to one callee. */
  timeoutMs?: { callee: string; value: number };
  /** Disk reads against health, for databases. */
  diskReads?: number;
}

export interface LogEvent {
  at: number;
  service: string;
  level: LogLevel;
  message: string;
}

export interface AlertRule {
  name: string;
  service: string;
  metric: 'latency' | 'error_ratio';
  /** Seconds for latency (p95), a ratio for errors. */
  above: number;
  forSeconds: number;
}

export interface Truth {
  incident: string;
  rootCause: { service: string; fault: string };
  /** ISO 8601. */
  onset: string;
  explanation: string;
  misleading: string[];
}

export interface Scenario {
  id: string;
  title: string;
  seed: number;
  /** Unix seconds of the first sample. */
  start: number;
  durationSeconds: number;
  /** Unix seconds. */
  onset: number;
  /** Factor on the users' traffic. */
  traffic?: (at: number) => number;
  effects: (at: number) => Record<string, Effect>;
  changes: Change[];
  /** Lines that the fault makes the software write, beside those the simulator derives from failing calls. */
  logs: LogEvent[];
  truth: Omit<Truth, 'incident' | 'onset'>;
}
