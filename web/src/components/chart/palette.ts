/** How lines are distinguished: by colour and, past the seventh, by dashes as well. */

/**
 * Each has a contrast of at least 4.5 with its background, and neighbours differ in lightness for colour-blind readers.
 */
const COLOURS = {
  light: ['#1f4fd8', '#b8420f', '#00695c', '#8a2fa8', '#7a5600', '#c2185b', '#3d4657'],
  dark: ['#86a8ff', '#ff9e6b', '#4fd1a8', '#d9a6f2', '#f0d264', '#ff8fb5', '#c3cad9'],
} as const;
const DASHES: readonly (readonly number[])[] = [[], [8, 4], [2, 3]];

export interface LineStyle {
  colour: string;
  dash: readonly number[];
}

export function lineStyle(index: number, theme: 'light' | 'dark'): LineStyle {
  const colours = COLOURS[theme];
  return {
    colour: colours[index % colours.length] ?? colours[0],
    dash: DASHES[Math.floor(index / colours.length) % DASHES.length] ?? [],
  };
}
