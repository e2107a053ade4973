/** Unsent text: survives reloads, navigation and signing in again, until the tab closes or the user signs out. */
import { useCallback, useState } from 'react';

const PREFIX = 'casebook.draft.';
const nameOf = (key: string): string => PREFIX + key;

export function readDraft(key: string): string {
  try {
    return sessionStorage.getItem(nameOf(key)) ?? '';
  } catch {
    // Storage may be blocked; then nothing was kept.
    return '';
  }
}

export function keepDraft(key: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(nameOf(key));
    else sessionStorage.setItem(nameOf(key), text);
  } catch {
    // Lasts until the page is left.
  }
}

/** The next person to sign in on this tab may be someone else. */
export function forgetDrafts(): void {
  try {
    for (const name of Object.keys(sessionStorage)) if (name.startsWith(PREFIX)) sessionStorage.removeItem(name);
  } catch {
    // Nothing was kept.
  }
}

/** @param first the text if nothing was kept */
export function useDraft(key: string, first = ''): [string, (text: string) => void] {
  const [text, setText] = useState(() => readDraft(key) || first);
  const write = useCallback(
    (written: string) => {
      setText(written);
      keepDraft(key, written);
    },
    [key],
  );
  return [text, write];
}
