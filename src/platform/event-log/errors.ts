/**
 * What went wrong:
 * - `invalid_id`: a position that is not one of this log's ids
 * - `invalid_event`: a stream name, type, key or data that the log does not accept
 * - `too_large`: an event over the size limit
 * - `unavailable`: the log cannot be reached; whether the events were stored is unknown, appending them again with the
 *   same keys is safe
 * - `closed`: this instance was closed
 */
export type EventLogErrorKind = 'invalid_id' | 'invalid_event' | 'too_large' | 'unavailable' | 'closed';

/** Every error that an event log throws. */
export class EventLogError extends Error {
  override name = 'EventLogError';
  readonly kind: EventLogErrorKind;

  constructor(kind: EventLogErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** @returns the same failure as an {@link EventLogError}, caused by the server's own error */
export function unavailable(error: unknown): EventLogError {
  if (error instanceof EventLogError) return error;
  const message = error instanceof Error ? error.message || error.name : String(error);
  return new EventLogError('unavailable', `The event log cannot be reached: ${message}`, { cause: error });
}
