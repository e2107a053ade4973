import { z } from 'zod';
import { apiKey } from '../../../http/authenticate.ts';
import type { ApiDeps } from '../../../http/deps.ts';
import { endpointFor } from '../../../http/endpoint.ts';
import { NotFound } from '../../../http/errors.ts';
import { isCitable } from '../../tools/index.ts';
import { readableToolCall, type ReadScopes } from '../../transcripts/index.ts';
import { mayHoldSeries, seriesIn } from './series-in.ts';
import { ToolResultSeriesResponse } from './schemas.ts';

const getToolResultSeries = endpointFor<ApiDeps & { readScopes: ReadScopes }>()({
  method: 'get',
  path: '/api/tool-results/{tool_id}/series',
  operationId: 'getToolResultSeries',
  summary: 'Get the series of a tool result, for charts',
  description:
    'Requires the same scopes as the result itself. A result without series is a 404 with the code `no_series`. Tool calls whose results are known to be series have `has_series`.',
  tags: ['Transcripts'],
  auth: apiKey(),
  params: z.object({ tool_id: z.guid() }),
  response: ToolResultSeriesResponse,
  errors: [403, 404],
  handler: async ({ deps, params, principal, em }) => {
    const call = await readableToolCall(deps, em, principal, params.tool_id);
    const isRead = call.status === 'completed' && !call.isError && isCitable(call.name) && mayHoldSeries(call.name);
    const found = isRead ? seriesIn(call.content ?? '', call.summary) : undefined;
    if (!found) throw new NotFound('This tool result holds no series.', 'no_series');
    return { tool_id: call.id, tool: call.name, ...found };
  },
});

export const seriesEndpoints = [getToolResultSeries];
