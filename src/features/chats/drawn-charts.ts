import type { EntityManager } from '../../db/orm.ts';
import { ToolCall } from '../transcripts/index.ts';
import { drawChart } from '../charts/index.ts';
import type { ChatTurn } from './entities.ts';

/** A turn's successful `draw_chart` calls, oldest first. */
export async function drawnCharts(
  em: EntityManager,
  { chatId, firstStep, lastStep }: Pick<ChatTurn, 'chatId' | 'firstStep' | 'lastStep'>,
): Promise<string[]> {
  const step = { $gte: firstStep, ...(lastStep !== null && { $lte: lastStep }) };
  const drawn = { conversationId: chatId, step, name: drawChart.name, status: 'completed' as const, isError: false };
  const calls = await em.find(ToolCall, drawn, { orderBy: { evidence: 'asc' } });
  return calls.map(({ id }) => id);
}
