import { z } from 'zod';
import {
  clip,
  defineTool,
  errorOutput,
  isCitable,
  oneLine,
  type StoredEvidence,
  type Tool,
  type ToolContext,
  type ToolOutput,
} from '../tools/index.ts';
import type { ChartSpec } from './chart-spec.ts';
import { ChartError, chartRequestFields } from './request.ts';
import { buildChart, type ChartInput } from './spec/build.ts';
import { presentTables, tablesIn } from './tables/index.ts';
import { checkedChart, InvalidChart, validateChart } from './validate.ts';

const NAME = 'draw_chart';
/** For a stored result; a chart is bounded well below. */
const MAX_CHARACTERS = 4_000_000;

const which = {
  evidence: z.number().int().min(1).optional().describe('The evidence number of a tool result of this conversation.'),
  tool_id: z.guid().optional().describe('Instead of evidence: the id of any stored tool call.'),
};
const { table, x, y, filter } = chartRequestFields;

const input = z
  .strictObject({
    ...which,
    ...chartRequestFields,
    events: z
      .strictObject({
        ...which,
        table: table.describe('The table of moments.'),
        x: x.describe('The column of their times.'),
        y: y.describe('The column of their texts.'),
        filter,
      })
      .optional()
      .describe('Moments of a result to mark over a chart that has times across, such as deploys over latency.'),
  })
  .refine(({ evidence, tool_id: id }) => (evidence === undefined) !== (id === undefined), {
    message: 'Give exactly one of evidence and tool_id.',
  });
type Input = z.infer<typeof input>;
type Which = Pick<Input, 'evidence' | 'tool_id'>;

/** The JSON of a stored `draw_chart` result. */
interface DrawChartResult {
  table: string;
  /** How many points are drawn, out of how many. */
  points: number;
  total_points: number;
  downsampled: boolean;
  notes: string[];
  source: { tool_call_id: string; sha256: string; tool: string; evidence?: number };
  chart: ChartSpec;
}

/** `draw_chart`: a chart of a stored tool result. The model names columns; every value comes from the result. */
export const drawChart: Tool<Input> = defineTool({
  name: NAME,
  description:
    'Draws a chart of an earlier tool result, as a Vega-Lite specification that is shown to the person. You name the result and, where the defaults will not do, its table, columns and mark; the values are taken from the stored result, so you cannot and need not give any. Without choices: lines over time, bars by name, or moments as events. An answer with an error lists the tables and columns there are.',
  input,
  timeoutSeconds: 60,
  summarize: (call) =>
    `Draw ${call.title ?? `a chart of ${call.evidence === undefined ? 'a result' : `evidence ${call.evidence}`}`}`,
  async run({ evidence, tool_id: toolId, events, ...request }, context) {
    let tables: ReturnType<typeof tablesIn> = [];
    try {
      const stored = await read({ evidence, tool_id: toolId }, context);
      tables = tablesIn(stored.content);
      const main = inputOf(stored, tables, request);
      const marks = events ? await eventsOf(events, { evidence, tool_id: toolId }, context) : undefined;
      context.signal.throwIfAborted();
      const { spec, digest } = buildChart(main, marks);
      const validation = await validateChart(spec);
      if (!validation.valid) throw new ChartError(`It cannot be drawn: ${validation.problems.join('; ')}`);
      return outputOf(spec, digest, evidence);
    } catch (error) {
      context.signal.throwIfAborted();
      if (error instanceof ChartError)
        return errorOutput(clip(error.message, 2_000), { tables: presentTables(tables) });
      throw error;
    }
  },
});

/**
 * The chart of a stored `draw_chart` result.
 * @returns undefined if the text is not such a result, or its chart could not have been drawn
 */
export function chartOf(content: string): ChartSpec | undefined {
  if (content.length > MAX_CHARACTERS) return undefined;
  try {
    const result: unknown = JSON.parse(content);
    if (typeof result !== 'object' || result === null || !('chart' in result)) return undefined;
    return checkedChart(result.chart);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof InvalidChart) return undefined;
    throw error;
  }
}

async function read({ evidence, tool_id: id }: Which, context: ToolContext): Promise<StoredEvidence> {
  const stored =
    evidence === undefined ? await context.evidence.readById(id ?? '') : await context.evidence.read(evidence);
  if (!stored) {
    const name = evidence === undefined ? `tool call ${id}` : `evidence ${evidence} in this conversation`;
    throw new ChartError(`There is no ${name}.`);
  }
  const { tool, content } = stored;
  // What a model said or drew is not a measurement; what it re-read is complete in the result it read.
  if (!isCitable(tool)) throw new ChartError(`A result of ${tool} holds no data; draw the result of another tool.`);
  if (tool === NAME) throw new ChartError(`This is a chart itself; draw from its source: ${sourceIn(content)}.`);
  if (tool === 'read_tool_result') {
    const [, original] = /^Evidence (\d+) \(/u.exec(content) ?? [];
    throw new ChartError(`This is a part of another result; draw evidence ${original ?? 'with the whole result'}.`);
  }
  return stored;
}

async function eventsOf(events: NonNullable<Input['events']>, main: Which, context: ToolContext): Promise<ChartInput> {
  const { evidence, tool_id: id, ...request } = events;
  if (evidence !== undefined && id !== undefined)
    throw new ChartError('Give one of evidence and tool_id for the events.');
  const stored = await read(evidence === undefined && id === undefined ? main : { evidence, tool_id: id }, context);
  return inputOf(stored, tablesIn(stored.content), request);
}

function inputOf(stored: StoredEvidence, tables: ChartInput['tables'], request: ChartInput['request']): ChartInput {
  const { toolCallId, tool, sha256, content, characters = content.length } = stored;
  // Truncated text is rarely still JSON; if it is, more is missing than it says.
  const all = characters > content.length ? tables.map((one) => ({ ...one, partial: true })) : tables;
  return { tables: all, source: { tool_call_id: toolCallId, tool, sha256 }, request };
}

function outputOf(chart: ChartSpec, digest: string, evidence: number | undefined): ToolOutput {
  const { source, points, total_points: totalPoints, downsampled, notes } = chart.usermeta.casebook;
  const { tool_call_id: toolCallId, sha256, tool } = source;
  const result: DrawChartResult = {
    table: source.table,
    points,
    total_points: totalPoints,
    downsampled,
    notes,
    source: { tool_call_id: toolCallId, sha256, tool, ...(evidence !== undefined && { evidence }) },
    // Last, so that a view of the start of a large chart says what it is.
    chart,
  };
  // Exact numbers: rounding would draw values that the result does not have.
  return { content: JSON.stringify(result), digest: oneLine(digest, 200) };
}

function sourceIn(content: string): string {
  const source = chartOf(content)?.usermeta.casebook.source;
  return source ? `tool_id ${source.tool_call_id}` : 'the result it was drawn from';
}
