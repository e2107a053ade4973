/** What is written and not sent: kept through reloads, other pages and signing in again, until the tab is closed. */
import { useCallback, useState } from 'react';

const nameOf = (key: string): string => `casebook.draft.${key}`;

export function readDraft(key: string): string {
  try {
    return sessionStorage.getItem(nameOf(key)) ?? '';
  } catch {
    // Storage may be forbidden; then nothing was kept.
    return '';
  }
}

export function keepDraft(key: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(nameOf(key));
    else sessionStorage.setItem(nameOf(key), text);
  } catch {
    // It holds until the page is left.
  }
}

/** @param first what is written where nothing was kept */
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
