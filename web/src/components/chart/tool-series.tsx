/** Fetches and draws the series in a tool result. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schema } from '../../api/client.ts';
import { Failed, Loading } from '../ui/states.tsx';
import { TimeSeriesChart } from './time-series-chart.tsx';

/** The client's types turn pairs into lists. */
const pair = ([at, value]: readonly (string | number | null)[]): [string, number | null] => [
  String(at),
  typeof value === 'number' ? value : null,
];

const seriesQuery = (toolId: string) =>
  queryOptions({
    queryKey: ['tool-result', toolId, 'series'],
    queryFn: async ({ signal }): Promise<Schema<'ToolResultSeriesResponse'>> => {
      const data = await dataOf(
        api.GET('/api/tool-results/{tool_id}/series', { params: { path: { tool_id: toolId } }, signal }),
      );
      return { ...data, series: data.series.map((series) => ({ ...series, points: series.points.map(pair) })) };
    },
    // Tool results are immutable.
    staleTime: Infinity,
  });

export function ToolSeries({ toolId }: { toolId: string }) {
  const { data, error, refetch } = useQuery(seriesQuery(toolId));
  if (data !== undefined) return <TimeSeriesChart data={data} />;
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  return <Loading lines={6} />;
}
