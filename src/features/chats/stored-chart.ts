import type { EntityManager } from '../../db/orm.ts';
import { chartOf, drawChart, type ChartSpec } from '../charts/index.ts';
import { ToolCall } from '../transcripts/index.ts';

/** A chart that `draw_chart` drew; another tool's result is never one, whatever it looks like. */
export async function storedChart(em: EntityManager, toolCallId: string): Promise<ChartSpec | undefined> {
  const drawn = { id: toolCallId, name: drawChart.name, status: 'completed' as const };
  const call = await em.findOne(ToolCall, drawn, { populate: ['content'] });
  return call?.content == null ? undefined : chartOf(call.content);
}
