import { randomId } from '../../app/random-id.ts';
import { keepDraft as keep, readDraft } from '../../app/draft.ts';

/**
 * What is being written into the field for a new investigation. It outlives reloads and other pages until it is sent,
 * and with it the key by which a repeated attempt to send it is known.
 */
export interface Draft {
  query: string;
  idempotencyKey: string;
}

const KEY = 'new-investigation';

/** Another text is another investigation, and so has another key. */
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

/** Keeps the draft; one without words is forgotten. */
export const keepDraft = (draft: Draft): void => keep(KEY, draft.query === '' ? '' : JSON.stringify(draft));

const isDraft = (value: unknown): value is Draft =>
  typeof value === 'object' &&
  value !== null &&
  'query' in value &&
  typeof value.query === 'string' &&
  'idempotencyKey' in value &&
  typeof value.idempotencyKey === 'string';
