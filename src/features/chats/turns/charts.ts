import type { EntityManager } from '../../../db/orm.ts';
import { ToolCall } from '../../transcripts/index.ts';
import { drawChart, chartOf, type ChartSpec } from '../../charts/index.ts';
import type { UiChunk } from '../stream/chunks.ts';
import { stepsOf, type TurnSteps } from './model-turns.ts';

/** A turn's successful `draw_chart` calls, oldest first. */
export async function drawnCharts(em: EntityManager, turn: TurnSteps): Promise<string[]> {
  const drawn = { ...stepsOf(turn), status: 'completed' as const, name: drawChart.name, isError: false };
  const calls = await em.find(ToolCall, drawn, { orderBy: { evidence: 'asc' } });
  return calls.map(({ id }) => id);
}

/** A chart that `draw_chart` drew; another tool's result is never one, whatever it looks like. */
export async function storedChart(em: EntityManager, toolCallId: string): Promise<ChartSpec | undefined> {
  const drawn = { id: toolCallId, name: drawChart.name, status: 'completed' as const };
  const call = await em.findOne(ToolCall, drawn, { populate: ['content'] });
  return call?.content == null ? undefined : chartOf(call.content);
}

/** The log holds only the names of charts; the stream carries the charts, from the results that hold them. */
export async function withCharts(em: () => EntityManager, chunks: UiChunk[]): Promise<UiChunk[]> {
  if (!chunks.some(({ type }) => type === 'data-chart')) return chunks;
  return Promise.all(
    chunks.map(async (chunk) => {
      if (chunk.type !== 'data-chart') return chunk;
      const id = chunk.id.replace(/^chart-/, '');
      const spec = (await storedChart(em(), id)) ?? null;
      return {
        ...chunk,
        data: { toolCallId: id, resultUrl: `/api/tool-results/${id}`, chartUrl: `/api/charts/${id}`, spec },
      };
    }),
  );
}
