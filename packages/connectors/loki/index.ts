/** Grafana Loki. */
import { z } from 'zod';
import { defineConnectorKind, defineOperation, type ConnectorOperation, type OperationContext } from '../connector.ts';
import { createHttpApi, httpApiConfig, type HttpApi, type Query } from '../shared/http-api/index.ts';
import { checkAnswer, dataOf } from '../shared/http-api/answers.ts';
import { selectors, toNanoseconds, unixSeconds } from '../shared/http-api/parameters.ts';

/** Loki's default `max_entries_limit_per_query`. */
const MAX_LINES = 5_000;
/** Loki looks back six hours by default; a check needs only the last minutes. */
const CHECK_SECONDS = 300;

const hint = 'The url of Loki is its base URL, without /loki/api/v1.';

const logql = z.string().min(1).max(100_000).describe('LogQL');
const limit = z.number().int().min(1).max(MAX_LINES).optional().describe(`maximum number of lines, default 100`);
const range = { start: unixSeconds.optional(), end: unixSeconds.optional() };

export const loki = defineConnectorKind({
  kind: 'loki',
  config: httpApiConfig,
  create(config, { id, title }) {
    const http = createHttpApi(config, { name: 'Loki' });
    return {
      id,
      kind: 'loki',
      title,
      operations: lokiOperations(http),
      check(signal) {
        const now = Date.now() / 1000;
        const query = { start: toNanoseconds(now - CHECK_SECONDS), end: toNanoseconds(now) };
        const request = { path: ['loki', 'api', 'v1', 'labels'], query };
        return checkAnswer(http, request, z.object({ status: z.literal('success') }), { hint, signal });
      },
      close: () => http.close(),
    };
  },
});

/** Loki's operations; each answer is the API's `data`, or null when Loki omits it. */
function lokiOperations(http: HttpApi): ConnectorOperation[] {
  const ask = async (path: string[], parameters: Query, context: OperationContext, form = false): Promise<unknown> => {
    const answer = await http.json({ path: ['loki', 'api', 'v1', ...path], query: parameters, form }, context);
    return dataOf(answer, http.place);
  };
  const nanoseconds = ({ start, end }: { start?: number; end?: number }) => ({
    start: toNanoseconds(start),
    end: toNanoseconds(end),
  });
  return [
    defineOperation({
      name: 'query_range',
      description:
        'Evaluates a LogQL query over a half-open time range. Log queries return streams: labels and [unix nanoseconds, ' +
        `line] pairs, the newest lines unless direction is forward, at most ${MAX_LINES}. Metric queries return a matrix.`,
      tool: true,
      parameters: z.strictObject({
        query: logql,
        start: unixSeconds,
        end: unixSeconds,
        limit,
        direction: z.enum(['forward', 'backward']).optional(),
      }),
      run: ({ start, end, ...rest }, context) =>
        ask(['query_range'], { ...rest, ...nanoseconds({ start, end }) }, context, true),
    }),
    defineOperation({
      name: 'query',
      description: 'Evaluates a LogQL metric query at one moment.',
      tool: false,
      parameters: z.strictObject({ query: logql, time: unixSeconds.optional(), limit }),
      run: ({ time, ...rest }, context) => ask(['query'], { ...rest, time: toNanoseconds(time) }, context, true),
    }),
    defineOperation({
      name: 'labels',
      description: 'Names of the labels of streams.',
      tool: false,
      parameters: z.strictObject(range),
      run: (parameters, context) => ask(['labels'], nanoseconds(parameters), context),
    }),
    defineOperation({
      name: 'label_values',
      description: 'Values of one label of streams.',
      tool: false,
      parameters: z.strictObject({
        label: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/u, 'is not a valid label name'),
        ...range,
        query: logql.optional().describe('only streams that match this selector'),
      }),
      run: ({ label, query, ...times }, context) =>
        ask(['label', label, 'values'], { query, ...nanoseconds(times) }, context),
    }),
    defineOperation({
      name: 'series',
      description: 'Label sets of the streams that match one of the selectors.',
      tool: false,
      parameters: z.strictObject({ match: selectors.min(1), ...range }),
      run: ({ match, ...times }, context) =>
        ask(['series'], { 'match[]': match, ...nanoseconds(times) }, context, true),
    }),
  ];
}
