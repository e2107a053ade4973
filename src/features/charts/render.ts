/** Renders a chart as SVG, without a browser, a canvas or the network. */
import type { Loader, Spec, View } from 'vega';
import type { Config } from 'vega-lite';
import { messageOf } from '../../platform/message-of.ts';
import { oneLine } from '../tools/index.ts';
import type { ChartSpec } from './chart-spec.ts';
import { safeSvg } from './safe-svg.ts';
import { checkedChart, compileChart, InvalidChart } from './validate.ts';
import { collectingLogger, loadVega } from './vega.ts';

async function refuse(): Promise<never> {
  throw new Error('a chart loads nothing');
}

/** Vega may fetch nothing. */
const NO_LOADER: Loader = { load: refuse, sanitize: refuse, http: refuse, file: refuse };

/**
 * Renders a chart. Its expressions, all from the compiler, are interpreted, not compiled to code.
 * @param options.ground the background; light by default
 * @returns SVG 1.1 as well-formed XML, without scripts, events, styles or references
 * @throws {InvalidChart} if the specification is invalid, or Vega cannot draw it
 */
export async function renderSvg(
  spec: ChartSpec,
  { signal, ground = 'light' }: { signal: AbortSignal; ground?: Ground },
): Promise<string> {
  signal.throwIfAborted();
  const chart = onGround(checkedChart(spec), ground);
  const compiled = await compileChart(chart.spec, chart.config);
  signal.throwIfAborted();
  const svg = await drawnByVega(compiled);
  signal.throwIfAborted();
  return safeSvg(svg);
}

async function drawnByVega(compiled: Spec): Promise<string> {
  const { vega, expressionInterpreter } = await loadVega();
  const problems: string[] = [];
  let view: View | undefined;
  try {
    view = new vega.View(vega.parse(compiled, undefined, { ast: true }), {
      renderer: 'none',
      expr: expressionInterpreter,
      loader: NO_LOADER,
      logger: collectingLogger(problems),
    });
    const svg = await view.toSVG();
    if (problems.length === 0) return svg;
  } catch (error) {
    problems.push(messageOf(error));
  } finally {
    view?.finalize();
  }
  throw new InvalidChart(problems.map((problem) => `Vega: ${oneLine(problem, 300)}`));
}

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
function onGround(spec: ChartSpec, ground: Ground): { spec: ChartSpec; config?: Config } {
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
