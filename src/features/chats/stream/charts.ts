import type { EntityManager } from '../../../db/orm.ts';
import { storedChart } from '../stored-chart.ts';
import type { UiChunk } from './chunks.ts';

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
