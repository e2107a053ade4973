import { randomId } from '../../app/random-id.ts';
import { keepDraft as keep, readDraft } from '../../app/draft.ts';

/**
 * The text in the field for a new investigation. It survives reloads and navigation until it is sent, together with the
 * idempotency key that makes a retry safe.
 */
export interface Draft {
  query: string;
  idempotencyKey: string;
}

const KEY = 'new-investigation';

/** Different text is a different investigation with a different key. */
export const newDraft = (query = ''): Draft => ({ query, idempotencyKey: randomId() });

export function storedDraft(): Draft {
  try {
    const stored: unknown = JSON.parse(readDraft(KEY));
    return isDraft(stored) ? stored : newDraft();
  } catch {
    // Nothing was kept, or storage holds something else.
    return newDraft();
  }
}

/** Keeps the draft; an empty one is dropped. */
export const keepDraft = (draft: Draft): void => keep(KEY, draft.query === '' ? '' : JSON.stringify(draft));

const isDraft = (value: unknown): value is Draft =>
  typeof value === 'object' &&
  value !== null &&
  'query' in value &&
  typeof value.query === 'string' &&
  'idempotencyKey' in value &&
  typeof value.idempotencyKey === 'string';
