/** Keys that work wherever one is: `g` and a letter goes to a place, `n` begins an investigation, `?` shows them all. */
import { useEffect } from 'react';

export interface Shortcut {
  /** One key, or two pressed after each other, such as `g i`. `Mod` is Ctrl or Command. */
  keys: string;
  title: string;
  run: () => void;
}

/** Two keys are one shortcut when the second follows within this time. */
const SEQUENCE_MS = 1_200;

/** Whether the key is meant for what is being written in. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.role === 'textbox');

/** Listens for shortcuts as long as the component is there. Nothing happens while somebody writes or a dialog is open. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    let first: { key: string; at: number } | undefined;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || event.isComposing) return;
      const isMod = event.ctrlKey || event.metaKey;
      if (!isMod && (isTyping(event.target) || document.querySelector('[role=dialog],[role=alertdialog],[role=menu]')))
        return;
      const key = isMod ? `Mod+${event.key.toLowerCase()}` : event.key;
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
