/** Where embedded parts report to the person at the terminal: one plain line per call. A pino logger fits. */
export interface Log {
  info(line: string): void;
  warn(line: string): void;
}

/** A {@link Log} that discards everything. */
export const silentLog: Log = { info() {}, warn() {} };
