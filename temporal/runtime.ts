import { makeTelemetryFilterString, Runtime, type LogLevel } from '@temporalio/worker';
import type { Logger } from '../src/platform/logger.ts';

const LEVELS = { TRACE: 'trace', DEBUG: 'trace', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;

/**
 * Sends the Temporal SDK's log to the process's logger and, given a port, serves the SDK's metrics (workflow task
 * latency, slots, polls) to Prometheus on it. Call once per process, before the first worker.
 */
export function installRuntime(log: Logger, metricsPort?: number): void {
  const sdk = log.child({ component: 'temporal' });
  const write =
    (level: (typeof LEVELS)[LogLevel]) =>
    (message: string, meta?: { error?: unknown }): void => {
      const { error, ...facts } = meta ?? {};
      // The key under which our logger writes an error's message and stack.
      sdk[level](error === undefined ? facts : { ...facts, err: error }, message);
    };
  // The SDK's info level is for its own developers: one line per worker state.
  const logger = {
    log: (level: LogLevel, message: string, meta?: object) => write(LEVELS[level])(message, meta),
    trace: write(LEVELS.TRACE),
    debug: write(LEVELS.DEBUG),
    info: write(LEVELS.INFO),
    warn: write(LEVELS.WARN),
    error: write(LEVELS.ERROR),
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
