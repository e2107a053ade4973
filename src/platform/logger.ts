import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger };

/** Maximum characters of log buffered while the disk is full; anything beyond is lost. */
const MAX_UNWRITTEN = 1_048_576;

let writeFailure: Error | undefined;

/**
 * The process's structured logger: one JSON object per line on standard output. A log that cannot be written, as on a
 * full disk, does not end the process: see {@link assertLogWritten}.
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
          'req.headers["x-share-token"]',
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
  // Without a listener the error would be thrown and end the process.
  stream.on('error', (error: Error) => (writeFailure = error));
  stream.on('write', () => (writeFailure = undefined));
  return stream;
}

/** @throws the error that kept the last line of this process's log from being written */
export function assertLogWritten(): void {
  if (writeFailure) throw writeFailure;
}
