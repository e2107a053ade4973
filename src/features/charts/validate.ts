/** Validates a specification: closed in form, accepted by the real compiler, and only about existing fields. */
import type { Spec } from 'vega';
import type { Config, TopLevelSpec } from 'vega-lite';
import { oneLine } from '../tools/index.ts';
import { layeredChart, MAX_DATA_BYTES, plainChart, type ChartSpec, type Datum, type Layer } from './chart-spec.ts';
import { collectingLogger, loadVega } from './vega.ts';
import { messageOf } from '../../platform/message-of.ts';

/** Anything that would let a specification compute, reach out or react. Drawing data needs none of it. */
const FORBIDDEN = new Map(
  Object.entries({
    url: 'addresses',
    href: 'addresses',
    expr: 'expressions',
    calculate: 'expressions',
    signal: 'signals',
    signals: 'signals',
    params: 'parameters',
    transform: 'transforms',
    datasets: 'named data',
    loader: 'loaders',
    embedOptions: 'options for embedding',
  }),
);
const MAX_PROBLEMS = 10;
const MAX_DEPTH = 20;

type Validation = { valid: true; spec: ChartSpec } | { valid: false; problems: string[] };

/** An invalid specification; `problems` says why. */
export class InvalidChart extends Error {
  override name = 'InvalidChart';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Invalid chart: ${problems.join('; ')}`);
    this.problems = problems;
  }
}

/**
 * Validates a specification, using the real Vega-Lite compiler among others. A compiler warning is a problem: what it
 * warns about is not drawn as written.
 */
export async function validateChart(spec: unknown): Promise<Validation> {
  try {
    const checked = checkedChart(spec);
    await compileChart(checked);
    return { valid: true, spec: checked };
  } catch (error) {
    if (error instanceof InvalidChart) return { valid: false, problems: [...error.problems] };
    throw error;
  }
}

/**
 * Every check but the compiler's.
 * @throws {InvalidChart}
 */
export function checkedChart(spec: unknown): ChartSpec {
  const forbidden = [...forbiddenIn(spec, '', 0)].slice(0, MAX_PROBLEMS);
  if (forbidden.length > 0) throw new InvalidChart(forbidden);
  const isLayered = typeof spec === 'object' && spec !== null && 'layer' in spec;
  const parsed = (isLayered ? layeredChart : plainChart).safeParse(spec);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'specification'}: ${message}`);
    throw new InvalidChart(problems.slice(0, MAX_PROBLEMS));
  }
  const problems = [...sizeProblems(parsed.data), ...fieldProblems(parsed.data)];
  if (problems.length > 0) throw new InvalidChart(problems.slice(0, MAX_PROBLEMS));
  return parsed.data;
}

/**
 * @param config the compiler's defaults
 * @returns the Vega specification
 * @throws {InvalidChart} with the compiler's message
 */
export async function compileChart(spec: ChartSpec, config?: Config): Promise<Spec> {
  const { compile } = await loadVega();
  const problems: string[] = [];
  let compiled: Spec;
  try {
    // A copy, because the compiler mutates its input.
    const given: TopLevelSpec = JSON.parse(JSON.stringify(spec));
    compiled = compile(given, { logger: collectingLogger(problems), config }).spec;
  } catch (error) {
    throw new InvalidChart([`Vega-Lite: ${oneLine(messageOf(error), 300)}`]);
  }
  if (problems.length > 0) {
    throw new InvalidChart(problems.slice(0, MAX_PROBLEMS).map((problem) => `Vega-Lite: ${oneLine(problem, 300)}`));
  }
  return compiled;
}

function* forbiddenIn(value: unknown, path: string, depth: number): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) {
    yield `${path || 'specification'}: is nested too deeply`;
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    const at = `${path}${path === '' ? '' : '.'}${oneLine(key, 60)}`;
    const what = FORBIDDEN.get(key);
    if (what !== undefined) yield `${at}: a chart may have no ${what}`;
    else yield* forbiddenIn(member, at, depth + 1);
  }
}

function sizeProblems(spec: ChartSpec): string[] {
  const all = viewsOf(spec).flatMap(({ data }) => data);
  const bytes = Buffer.byteLength(JSON.stringify(all), 'utf8');
  return bytes > MAX_DATA_BYTES * 2 ? [`data: ${bytes} bytes are more than a chart may have`] : [];
}

/** The compiler accepts any field name; a missing one would silently draw nothing. */
function fieldProblems(spec: ChartSpec): string[] {
  return viewsOf(spec).flatMap(({ view, data, path }) => {
    const known = new Set(data.flatMap((datum) => Object.keys(datum)));
    return Object.entries(view.encoding).flatMap(([channel, definition]) => {
      if (!('field' in definition) || known.has(definition.field)) return [];
      const names = known.size === 0 ? 'is empty' : `has: ${[...known].join(', ')}`;
      return [`${path}encoding.${channel}.field: the data has no field "${definition.field}"; it ${names}`];
    });
  });
}

function viewsOf(spec: ChartSpec): { view: Pick<Layer, 'encoding'>; data: Datum[]; path: string }[] {
  if (!('layer' in spec)) return [{ view: spec, data: spec.data.values, path: '' }];
  return spec.layer.map((view, index) => ({ view, data: (view.data ?? spec.data).values, path: `layer.${index}.` }));
}
