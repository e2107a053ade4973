/** A chart as SVG, drawn without a browser, a canvas or the network. */
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

/** Whatever Vega wants to fetch, it does not get. */
const NO_LOADER: Loader = { load: refuse, sanitize: refuse, http: refuse, file: refuse };

/**
 * Draws a chart. Its expressions, all of which come from the compiler, are interpreted rather than made into code.
 * @param options.ground what it lies on; a light one unless given
 * @returns SVG 1.1 as well-formed XML, without scripts, events, styles or references
 * @throws {InvalidChart} when the specification is none, or Vega cannot draw it
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
