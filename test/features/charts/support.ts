import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { SaxesParser } from 'saxes';
import { chartOf, drawChart, type ChartSpec } from '../../../src/features/charts/index.ts';
import { createToolRegistry } from '../../../src/features/tools/index.ts';
import type { StoredEvidence, ToolOutput } from '../../../src/features/tools/tool.ts';
import { storedEvidence, toolContext } from '../../support/tool-context.ts';

const registry = createToolRegistry([drawChart]);

/** A stored result with an id as the database gives it. */
export function stored(content: string, tool = 'query_metric', evidence = 1): StoredEvidence {
  return { ...storedEvidence(evidence, tool, content), toolCallId: randomUUID() };
}

/** What the tool answers about evidence that is given. */
export async function call(
  input: object,
  evidence: StoredEvidence[],
): Promise<Omit<ToolOutput, 'content'> & { content: string }> {
  const output = await registry.invoke('draw_chart', input, toolContext({ evidence }));
  return { ...output, content: String(output.content) };
}

/** The chart of a result, drawn by the tool. */
export async function drawn(content: string, request: object = {}, others: StoredEvidence[] = []): Promise<ChartSpec> {
  const output = await call({ evidence: 1, ...request }, [stored(content), ...others]);
  assert.equal(output.isError, undefined, output.content);
  const chart = chartOf(output.content);
  assert.ok(chart, 'the stored result can be read back');
  return chart;
}

/** The message of a call that cannot be met. */
export async function refusal(content: string, request: object): Promise<string> {
  const output = await call({ evidence: 1, ...request }, [stored(content)]);
  assert.equal(output.isError, true, output.content.slice(0, 500));
  return String(JSON.parse(output.content).error);
}

/** The values of a chart's main view. */
export const valuesOf = (chart: ChartSpec) => chart.data.values;

/** The view that draws them. */
export function viewOf(chart: ChartSpec) {
  const view = 'layer' in chart ? chart.layer[0] : chart;
  assert.ok(view);
  return view;
}

type EncodedChannel = 'x' | 'y' | 'color' | 'x2' | 'yOffset';

/** One channel of the main view. */
export function channelOf(chart: ChartSpec, name: EncodedChannel) {
  const channel = viewOf(chart).encoding[name];
  return channel && 'field' in channel ? channel : undefined;
}

/** The elements and texts of an SVG, by a strict XML parser; fails when it is not well-formed. */
export function parseSvg(svg: string): { elements: Set<string>; attributes: Set<string>; texts: string[] } {
  const parser = new SaxesParser({ xmlns: true });
  const elements = new Set<string>();
  const attributes = new Set<string>();
  const texts: string[] = [];
  parser.on('opentag', (tag) => {
    elements.add(tag.name);
    for (const name of Object.keys(tag.attributes)) attributes.add(name);
  });
  parser.on('text', (text) => texts.push(text));
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(svg).close();
  return { elements, attributes, texts: texts.filter((text) => text !== '') };
}

/** Every scalar anywhere in a JSON value. */
export function scalarsIn(value: unknown, found = new Set<unknown>()): Set<unknown> {
  if (typeof value !== 'object' || value === null) found.add(value);
  else for (const member of Object.values(value)) scalarsIn(member, found);
  return found;
}

/**
 * Fails when a chart without aggregate has a time, number or text that its stored result does not have.
 * @param content JSON with times in ISO 8601
 */
export function assertFromResult(chart: ChartSpec, content: string): void {
  const scalars = scalarsIn(JSON.parse(content));
  const texts = [...scalars].filter((scalar) => typeof scalar === 'string');
  const times = new Set(texts.map((text) => Date.parse(text)));
  const has = (part: string): boolean =>
    scalars.has(part) ||
    (part.endsWith('…') && texts.some((text) => text.startsWith(part.slice(0, -1)))) ||
    /^no [\w.]+$/.test(part);
  for (const { x, y, series, label } of valuesOf(chart)) {
    if (typeof y === 'number') assert.ok(scalars.has(y), `${y} is drawn but not in the result`);
    if (channelOf(chart, 'x')?.type === 'temporal') assert.ok(times.has(Date.parse(String(x))), `time ${x}`);
    else if (typeof x === 'string') for (const part of x.split(' · ')) assert.ok(has(part), `category ${part}`);
    if (series !== undefined) for (const part of series.split(' · ')) assert.ok(has(part), `series ${part}`);
    if (label !== undefined) assert.ok(has(label), `label ${label}`);
  }
}
