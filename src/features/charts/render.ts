/** Renders a chart as SVG, without a browser, a canvas or the network. */
import type { Loader, Spec, View } from 'vega';
import { oneLine } from '../tools/index.ts';
import type { ChartSpec } from './chart-spec.ts';
import { onGround, type Ground } from './ground.ts';
import { safeSvg } from './safe-svg.ts';
import { checkedChart, compileChart, InvalidChart } from './validate.ts';
import { collectingLogger, loadVega } from './vega.ts';
import { messageOf } from '../../platform/message-of.ts';

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
