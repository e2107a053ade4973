import type { Latency } from './latency.ts';

/** How the calls of one route to one callee went during a step. */
export interface CallState {
  caller: string;
  callee: string;
  /** Attempts a second, retries included. */
  attemptsPerSecond: number;
  /** Share of attempts that ended in the client's time-out. */
  timeoutRatio: number;
  /** Share of attempts that the callee answered with an error. */
  errorRatio: number;
  timeoutMs: number;
  /** Median of an attempt, ms. */
  medianMs: number;
}

export interface RouteState {
  name: string;
  requestsPerSecond: number;
  latency: Latency;
  /** Of the part of `latency` that is the service's own work, without queues. */
  work: Latency;
  errorRatio: number;
}

export interface PoolState {
  target: string;
  size: number;
  inUse: number;
  /** Requests that wait for a connection. */
  pending: number;
  waitMs: number;
  /** Share of requests that got no connection in time. */
  rejected: number;
}

export interface ServiceState {
  requestsPerSecond: number;
  routes: RouteState[];
  /** Mean wait for a CPU. */
  queueMs: number;
  /** Share of requests that fail without any callee's help. */
  ownErrorRatio: number;
  cpuUtilization: number;
  memoryMb: number;
  memoryLimitMb: number;
  replicasAvailable: number;
  restarts: number;
  /** Replicas killed for memory in this step. */
  killed: number;
  pool?: PoolState;
  /** CPUs it may use, per replica. */
  cpuLimit: number;
  throttledRatio: number;
  diskReads: number;
}

export interface StepState {
  /** Unix seconds at the end of the step. */
  at: number;
  services: Map<string, ServiceState>;
  calls: CallState[];
}
