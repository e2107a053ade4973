/**
 * What is being written into the field for a new investigation. It outlives reloads and other pages until it is sent,
 * and with it the key by which a repeated attempt to send it is known.
 */
export interface Draft {
  query: string;
  idempotencyKey: string;
}

const KEY = 'casebook.new-investigation';

/** Another text is another investigation, and so has another key. */
export const newDraft = (query = ''): Draft => ({ query, idempotencyKey: crypto.randomUUID() });

export function storedDraft(): Draft {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    return isDraft(stored) ? stored : newDraft();
  } catch {
    // Storage may be forbidden, and hold anything.
    return newDraft();
  }
}

/** Keeps the draft; one without words is forgotten. */
export function keepDraft(draft: Draft): void {
  try {
    if (draft.query === '') sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify(draft));
  } catch {
    // The draft then lasts as long as the page.
  }
}

const isDraft = (value: unknown): value is Draft =>
  typeof value === 'object' &&
  value !== null &&
  'query' in value &&
  typeof value.query === 'string' &&
  'idempotencyKey' in value &&
  typeof value.idempotencyKey === 'string';
