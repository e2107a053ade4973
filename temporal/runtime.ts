import { makeTelemetryFilterString, Runtime, type LogLevel } from '@temporalio/worker';
import type { Logger } from '../src/platform/logger.ts';

/**
 * Sends the Temporal SDK's own log to the process's logger and, when a port is given, serves the SDK's metrics
 * (workflow task latency, slots, polls) to Prometheus on it. Once a process, before the first worker.
 */
export function installRuntime(log: Logger, metricsPort?: number): void {
  const sdk = log.child({ component: 'temporal' });
  const write =
    (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, meta?: object): void =>
      sdk[level](meta ?? {}, message);
  // What the SDK calls information is written for its own developers: one line a worker state.
  const logger = {
    log: (level: LogLevel, message: string, meta?: object) => write(level.toLowerCase() as 'info')(message, meta),
    trace: write('trace'),
    debug: write('trace'),
    info: write('debug'),
    warn: write('warn'),
    error: write('error'),
  };
  Runtime.install({
    logger,
    // The processes stop their workers themselves, in their own order.
    shutdownSignals: [],
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
      ...(metricsPort !== undefined && { metrics: { prometheus: { bindAddress: `0.0.0.0:${metricsPort}` } } }),
    },
  });
}
