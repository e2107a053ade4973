/** Dark or light: the person's choice here, otherwise the system's. */
import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark';
export type ThemeChoice = Theme | 'system';

const KEY = 'casebook.theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const paper = matchMedia('print');
const listeners = new Set<() => void>();

function storedChoice(): ThemeChoice {
  try {
    const stored = localStorage.getItem(KEY);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    // Storage may be blocked; the system's theme will do.
    return 'system';
  }
}

let choice = storedChoice();

/** Paper is light. */
const currentTheme = (): Theme =>
  paper.matches ? 'light' : choice === 'system' ? (system.matches ? 'dark' : 'light') : choice;

/** Applies the theme to the document. Called once before the first render, and on every change. */
export function applyTheme(): void {
  document.documentElement.dataset['theme'] = currentTheme();
  for (const listener of listeners) listener();
}
system.addEventListener('change', applyTheme);
paper.addEventListener('change', applyTheme);

export function chooseTheme(wanted: ThemeChoice): void {
  choice = wanted;
  try {
    if (wanted === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, wanted);
  } catch {
    // Lasts until the page is left.
  }
  applyTheme();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The current theme, so that canvases redraw when it changes. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, currentTheme);
export const useThemeChoice = (): ThemeChoice => useSyncExternalStore(subscribe, () => choice);
