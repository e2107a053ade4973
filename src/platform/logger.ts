import { pino, type Logger } from 'pino';

export type { Logger };

/**
 * The process's structured logger: one JSON object a line on standard output.
 * @param options.name the process (api, worker, …)
 * @param options.level pino level; `silent` in tests
 */
export function createLogger(options: { name: string; level: string }): Logger {
  return pino({
    name: options.name,
    level: options.level,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: ['req.headers.authorization', 'req.headers["x-api-key"]', 'req.headers.cookie', '*.apiKey', '*.secretKey'],
      censor: '[redacted]',
    },
  });
}
