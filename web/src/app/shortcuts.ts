/** Global shortcuts: `g` plus a letter navigates, `n` starts an investigation, `?` lists them. */
import { useEffect, useSyncExternalStore } from 'react';

export interface Shortcut {
  /** One key, or two in sequence, such as `g i`. */
  keys: string;
  title: string;
  run: () => void;
}

/** Two keys form one shortcut if the second follows within this time. */
const SEQUENCE_MS = 1_200;

const STORED_AS = 'casebook.keys';
const listeners = new Set<() => void>();

function storedChoice(): boolean {
  try {
    return localStorage.getItem(STORED_AS) !== 'off';
  } catch {
    // Storage may be blocked.
    return true;
  }
}

let areOn = storedChoice();

/** People who dictate, or hit keys by accident, can turn shortcuts off: otherwise every letter would do something. */
export function chooseKeys(on: boolean): void {
  areOn = on;
  try {
    if (on) localStorage.removeItem(STORED_AS);
    else localStorage.setItem(STORED_AS, 'off');
  } catch {
    // Lasts until the page is left.
  }
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Whether single-letter shortcuts are on. */
export const useKeysChoice = (): boolean => useSyncExternalStore(subscribe, () => areOn);

/** Whether the key goes to a text field. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.role === 'textbox');

/** Whether the page may handle a key: nobody else did, nobody is typing, and nothing is open above the page. */
export const isForPage = (event: KeyboardEvent): boolean =>
  !event.defaultPrevented &&
  !event.altKey &&
  !event.ctrlKey &&
  !event.metaKey &&
  !event.isComposing &&
  !isTyping(event.target) &&
  document.querySelector('[role=dialog],[role=alertdialog],[role=menu]') === null;

/** Listens for shortcuts while the component is mounted, unless they are turned off. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    let first: { key: string; at: number } | undefined;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (!areOn || !isForPage(event)) return;
      const { key } = event;
      const sequence = first && event.timeStamp - first.at < SEQUENCE_MS ? `${first.key} ${key}` : undefined;
      const found = shortcuts.find(({ keys }) => keys === sequence) ?? shortcuts.find(({ keys }) => keys === key);
      first = found === undefined ? { key, at: event.timeStamp } : undefined;
      if (found === undefined) return;
      event.preventDefault();
      found.run();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [shortcuts]);
}
