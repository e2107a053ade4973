import { Conflict, NotFound } from '../../http/errors.ts';

export const investigationNotFound = (): NotFound => new NotFound('There is no such investigation.');

export const alreadyFinished = (status: string): Conflict =>
  new Conflict(
    `The investigation is ${status}; it can no longer be changed. Rerun it to ask again.`,
    'already_finished',
  );
