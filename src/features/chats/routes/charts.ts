/** Chart turns, and images of charts. */
import { apiKey } from '../../../http/authenticate.ts';
import { ContentResponse } from '../../../http/respond.ts';
import { HttpError, InvalidRequest, NotFound } from '../../../http/errors.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { InvalidChart, renderSvg, type ChartSpec, type Ground } from '../../charts/index.ts';
import { readableToolCall } from '../../transcripts/index.ts';
import { modelTurnsOf } from '../turns/model-turns.ts';
import { chartUrl, presentAnswer } from '../presenter.ts';
import { ChatVizResponse, ChartParams, ChartQuery, ChatVizRequest, TurnHeaders, VizQuery } from '../schemas.ts';
import { storedChart } from '../turns/charts.ts';
import { endOfTurn, streamTurn, turnFor } from './answer.ts';
import { chatEndpoint as endpoint, tags, WRITE } from './deps.ts';

const SVG = 'image/svg+xml';
const DEFAULT_PROMPT = 'Draw a chart of this tool result.';

/** @throws {NotFound} if the team has no such chart */
async function chartNamed(em: EntityManager, toolCallId: string): Promise<ChartSpec> {
  const chart = await storedChart(em, toolCallId);
  if (!chart) throw new NotFound('Chart not found.');
  return chart;
}

/** @throws {HttpError} 422 if the chart is valid but cannot be drawn */
async function picture(chart: ChartSpec, options: { signal: AbortSignal; ground?: Ground }): Promise<ContentResponse> {
  try {
    return new ContentResponse(SVG, await renderSvg(chart, options));
  } catch (error) {
    if (!(error instanceof InvalidChart)) throw error;
    throw new HttpError(422, 'not_drawable', `The chart cannot be drawn: ${error.message}`);
  }
}

export const chatViz = endpoint({
  method: 'post',
  path: '/api/chat-viz',
  operationId: 'chatViz',
  summary: 'Draw a chart from a chat or a tool result',
  description:
    'A turn of this chat, or of a new one, that returns a Vega-Lite specification. Its points come from a stored tool result; with tool_id, the key needs the scope to read that result. ' +
    'With stream=true it streams as POST /api/v1/chat does, with the chart as a `data-chart` part; format=svg returns the image.',
  tags,
  auth: apiKey(WRITE),
  query: VizQuery,
  headers: TurnHeaders,
  body: ChatVizRequest,
  response: ChatVizResponse,
  content: { 'text/event-stream': 'The turn as it happens, with stream=true.', [SVG]: 'The image, with format=svg.' },
  errors: [404, 409, 502, 503],
  handler: async (call) => {
    const { body, query, deps, em, signal, principal } = call;
    if (body.tool_id !== undefined) await readableToolCall(deps, em.fork(), principal, body.tool_id);
    const { turn, after } = await turnFor(call, {
      purpose: 'chart',
      messages: [{ role: 'user', content: body.prompt ?? DEFAULT_PROMPT }],
      chatId: body.chat_id,
      model: body.model,
      subject: body.tool_id && `The chart is to show the tool result with tool_id ${body.tool_id}.`,
    });
    if (query.stream || body.stream) return await streamTurn(call, { turn, after }, query.include);
    const ended = await endOfTurn(call, turn);
    const toolId = ended.outcome?.charts?.at(-1) ?? null;
    const chart = toolId === null ? null : await chartNamed(em.fork(), toolId);
    if ((query.format ?? body.format) === 'svg') {
      if (!chart) throw InvalidRequest.at(['body'], `No chart could be drawn: ${ended.text ?? ''}`);
      return picture(chart, { signal });
    }
    return {
      ...presentAnswer(ended, await modelTurnsOf(em.fork(), ended)),
      chart,
      tool_id: toolId,
      svg_url: toolId === null ? null : `${chartUrl(toolId)}?format=svg`,
    };
  },
});

export const getChart = endpoint({
  method: 'get',
  path: '/api/charts/{tool_id}',
  operationId: 'getChart',
  summary: 'Get a chart as Vega-Lite or, with format=svg, as an image',
  description: 'Scopes: `chats:read` for charts of chats, `investigations:read` for those of investigations.',
  tags,
  auth: apiKey(),
  params: ChartParams,
  query: ChartQuery,
  response: ChatVizResponse.shape.chart.unwrap().meta({ id: 'ChartSpecification' }),
  content: { [SVG]: 'The image.' },
  errors: [403, 404],
  handler: async ({ deps, params, query, em, signal, principal }) => {
    await readableToolCall(deps, em, principal, params.tool_id);
    const chart = await chartNamed(em, params.tool_id);
    return query.format === 'svg' ? picture(chart, { signal, ground: query.ground }) : chart;
  },
});
