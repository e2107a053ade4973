/** Dark or light: as the person chose here, otherwise as the system says. */
import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark';
export type ThemeChoice = Theme | 'system';

const KEY = 'casebook.theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

function storedChoice(): ThemeChoice {
  try {
    const stored = localStorage.getItem(KEY);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    // Storage may be forbidden; the system's theme is then as good.
    return 'system';
  }
}

let choice = storedChoice();

const currentTheme = (): Theme => (choice === 'system' ? (system.matches ? 'dark' : 'light') : choice);

/** Puts the theme on the document. Called once before anything is drawn, and whenever it changes. */
export function applyTheme(): void {
  document.documentElement.dataset['theme'] = currentTheme();
  for (const listener of listeners) listener();
}
system.addEventListener('change', applyTheme);

export function chooseTheme(wanted: ThemeChoice): void {
  choice = wanted;
  try {
    if (wanted === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, wanted);
  } catch {
    // It holds until the page is left.
  }
  applyTheme();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The theme in force; what draws on a canvas draws anew when it changes. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, currentTheme);
export const useThemeChoice = (): ThemeChoice => useSyncExternalStore(subscribe, () => choice);
