/** What is written and not sent: kept through reloads, other pages and signing in again, until the tab is closed or somebody signs out. */
import { useCallback, useState } from 'react';

const PREFIX = 'casebook.draft.';
const nameOf = (key: string): string => PREFIX + key;

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

/** Whoever signs in next in this tab may be somebody else. */
export function forgetDrafts(): void {
  try {
    for (const name of Object.keys(sessionStorage)) if (name.startsWith(PREFIX)) sessionStorage.removeItem(name);
  } catch {
    // Nothing was kept.
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
