import type { Middleware } from 'koa';
import { Gauge, Histogram, type Registry } from 'prom-client';
import type { Logger } from '../../platform/logger.ts';
import { requestId, requestLog } from '../request-scope.ts';

/**
 * Measures and logs every request: a histogram by route template (not by path: every id would create a series), the
 * number in flight, and one log line, at debug level for successful reads.
 */
export function observe(log: Logger, registry: Registry): Middleware {
  const { duration, inFlight } = httpMetrics(registry);
  return async (ctx, next) => {
    const started = performance.now();
    ctx.set('X-Request-Id', requestId(ctx));
    inFlight.inc();
    ctx.res.once('close', () => {
      inFlight.dec();
      const seconds = (performance.now() - started) / 1000;
      const { method, status } = ctx;
      const route: string = ctx.state['route'] ?? 'unmatched';
      duration.observe({ method: knownMethod(method), route, status }, seconds);
      const level = status >= 500 ? 'warn' : status < 400 && (method === 'GET' || method === 'HEAD') ? 'debug' : 'info';
      if (!log.isLevelEnabled(level)) return;
      const finished = ctx.res.writableFinished;
      requestLog(ctx, log)[level](
        { method, route, status, ms: Math.round(seconds * 1000), ...(finished ? {} : { aborted: true }) },
        'request',
      );
    });
    await next();
  };
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const knownMethod = (method: string): string => (METHODS.has(method) ? method : 'other');

function httpMetrics(registry: Registry) {
  const name = 'casebook_http_request_duration_seconds';
  const existing = registry.getSingleMetric(name);
  if (existing) throw new Error('This metrics registry already serves another app.');
  return {
    duration: new Histogram({
      name,
      help: 'Time from the first byte of a request to the end of its response',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers: [registry],
    }),
    inFlight: new Gauge({
      name: 'casebook_http_requests_in_flight',
      help: 'Requests in flight',
      registers: [registry],
    }),
  };
}
