/** Adapts a chart, made for white, to another background. */
import type { Config } from 'vega-lite';
import type { ChartSpec } from './chart-spec.ts';

/** The background of a chart image. */
export const GROUNDS = ['light', 'dark'] as const;
export type Ground = (typeof GROUNDS)[number];

/** Text has a contrast of at least 7 with the background, axes and ticks of at least 3. */
const GROUND = '#171b23';
const TEXT = '#e8ebf2';
const SOFT_TEXT = '#a7b0c2';
const LINE = '#6b7488';

const DARK: Config = {
  background: GROUND,
  title: { color: TEXT, subtitleColor: SOFT_TEXT },
  axis: { labelColor: SOFT_TEXT, titleColor: TEXT, domainColor: LINE, tickColor: LINE, gridColor: '#2b313d' },
  header: { labelColor: SOFT_TEXT, titleColor: TEXT },
  legend: { labelColor: TEXT, titleColor: TEXT },
};

/** @returns the chart and compiler configuration for a background */
export function onGround(spec: ChartSpec, ground: Ground): { spec: ChartSpec; config?: Config } {
  if (ground === 'light') return { spec };
  const { background: _, ...rest } = spec;
  const dark = 'layer' in rest ? { ...rest, layer: rest.layer.map(recoloured) } : recoloured(rest);
  return { spec: dark, config: DARK };
}

/** Greys of marks are made for white: invert their lightness. */
function recoloured<Marked extends { mark: { color?: string | undefined } }>(view: Marked): Marked {
  const { color } = view.mark;
  const digit = /^#([\da-f])\1\1$/iu.exec(color ?? '')?.[1];
  if (digit === undefined) return view;
  const inverted = (15 - Number.parseInt(digit, 16)).toString(16);
  return { ...view, mark: { ...view.mark, color: `#${inverted.repeat(3)}` } };
}
