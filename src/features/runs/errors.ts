import { Conflict } from '../../http/errors.ts';

/** The run has ended: an attempt thought lost, or one that comes too late, must not add to it. */
export class RunClosed extends Error {
  override name = 'RunClosed';
  constructor() {
    super('The run has ended; nothing more is recorded for it.');
  }
}

export const idempotencyKeyReused = (): Conflict =>
  new Conflict('This Idempotency-Key was used before with another request.', 'idempotency_key_reused');
