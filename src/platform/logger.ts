import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger };

/** Most characters of log that are kept for a disk that has no room; what follows is lost. */
const MAX_UNWRITTEN = 1_048_576;

let writeFailure: Error | undefined;

/**
 * The process's structured logger: one JSON object a line on standard output. A log that cannot be written, as on a full
 * disk, ends nothing: see {@link assertLogWritten}.
 * @param options.name the process (api, worker, …)
 * @param options.level pino level; `silent` in tests
 */
export function createLogger(options: { name: string; level: string }): Logger {
  return pino(
    {
      name: options.name,
      level: options.level,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: [
          'req.headers.authorization',
          'req.headers["x-api-key"]',
          'req.headers.cookie',
          '*.apiKey',
          '*.secretKey',
        ],
        censor: '[redacted]',
      },
    },
    standardOutput(),
  );
}

function standardOutput(): DestinationStream {
  const stream = pino.destination({ dest: 1, sync: true, maxLength: MAX_UNWRITTEN });
  // Without a listener of our own the error would be thrown, and end the process.
  stream.on('error', (error: Error) => (writeFailure = error));
  stream.on('write', () => (writeFailure = undefined));
  return stream;
}

/** @throws what kept the last line of this process's log from being written */
export function assertLogWritten(): void {
  if (writeFailure) throw writeFailure;
}
