/** Keys that work wherever one is: `g` and a letter goes to a place, `n` begins an investigation, `?` shows them all. */
import { useEffect, useSyncExternalStore } from 'react';

export interface Shortcut {
  /** One key, or two pressed after each other, such as `g i`. */
  keys: string;
  title: string;
  run: () => void;
}

/** Two keys are one shortcut when the second follows within this time. */
const SEQUENCE_MS = 1_200;

const STORED_AS = 'casebook.keys';
const listeners = new Set<() => void>();

function storedChoice(): boolean {
  try {
    return localStorage.getItem(STORED_AS) !== 'off';
  } catch {
    // Storage may be forbidden.
    return true;
  }
}

let areOn = storedChoice();

/** Whoever dictates, or hits keys without meaning to, turns the keys off: each letter would do something. */
export function chooseKeys(on: boolean): void {
  areOn = on;
  try {
    if (on) localStorage.removeItem(STORED_AS);
    else localStorage.setItem(STORED_AS, 'off');
  } catch {
    // It holds until the page is left.
  }
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Whether single letters do something. */
export const useKeysChoice = (): boolean => useSyncExternalStore(subscribe, () => areOn);

/** Whether the key is meant for what is being written in. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.role === 'textbox');

/** Whether a key is one for the page: nobody else took it, nobody writes, and nothing is open above the page. */
export const isForPage = (event: KeyboardEvent): boolean =>
  !event.defaultPrevented &&
  !event.altKey &&
  !event.ctrlKey &&
  !event.metaKey &&
  !event.isComposing &&
  !isTyping(event.target) &&
  document.querySelector('[role=dialog],[role=alertdialog],[role=menu]') === null;

/** Listens for shortcuts as long as the component is there, and they are not turned off. */
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
