import { z } from 'zod';
import { type OperationContext, defineOperation, QueryError, type ConnectorOperation } from '../connector.ts';
import type { HttpApi, Query } from '../shared/http-api/index.ts';
import { dataOf } from '../shared/http-api/answers.ts';
import { selectors, unixSeconds } from '../shared/http-api/parameters.ts';

const failure = z.object({ errorType: z.string(), error: z.string() });

/** Calls that also accept their parameters as a form. */
const FORMS = new Set(['query', 'query_range', 'labels', 'series']);

/**
 * One call to Prometheus' HTTP API.
 * @param path below `/api/v1`
 * @returns the `data` member of the answer, unchanged
 */
export async function askPrometheus(
  http: HttpApi,
  path: string | readonly string[],
  query: Query,
  context: OperationContext,
): Promise<unknown> {
  const below = [path].flat();
  const request = { path: ['api', 'v1', ...below], query, form: below.length === 1 && FORMS.has(below[0]!) };
  return dataOf(await http.json(request, context), http.place);
}

/** Prometheus' message in an error response: the kind of error, and a sentence. */
export function errorMessage(body: string): string | undefined {
  try {
    const { errorType, error } = failure.parse(JSON.parse(body));
    return `${errorType}: ${error}`;
  } catch {
    return undefined;
  }
}

/** Prometheus refuses more points per series; compatible systems may not. */
const MAX_POINTS = 11_000;

const promql = z.string().min(1).max(100_000).describe('PromQL');
const onlyOf = selectors.optional().describe('only series that match one of these selectors; default all');
const nothing = z.strictObject({});

/** The operations of a server with Prometheus' API; each answer is the API's `data`. */
export function prometheusOperations(http: HttpApi): ConnectorOperation[] {
  return [
    defineOperation({
      name: 'query',
      description: 'Evaluates a PromQL expression at one moment. Returns resultType and result: samples by label set.',
      tool: true,
      parameters: z.strictObject({
        query: promql,
        time: unixSeconds.optional().describe('unix seconds; default now'),
      }),
      run: ({ query, time }, context) => askPrometheus(http, 'query', { query, time }, context),
    }),
    defineOperation({
      name: 'query_range',
      description:
        'Evaluates a PromQL expression at every step of a time range. Returns a matrix: for each series its labels and ' +
        `[unix seconds, value] pairs. At most ${MAX_POINTS} points per series.`,
      tool: true,
      parameters: z.strictObject({
        query: promql,
        start: unixSeconds,
        end: unixSeconds,
        step: z.number().positive().describe('seconds between points'),
      }),
      run({ query, start, end, step }, context) {
        checkRange(start, end, step);
        const times = { start: decimal(start), end: decimal(end), step: decimal(step) };
        return askPrometheus(http, 'query_range', { query, ...times }, context);
      },
    }),
    defineOperation({
      name: 'labels',
      description: 'The names of the labels in use.',
      tool: false,
      parameters: z.strictObject({ match: onlyOf }),
      run: ({ match }, context) => askPrometheus(http, 'labels', { 'match[]': match }, context),
    }),
    defineOperation({
      name: 'label_values',
      description: 'Values of one label; those of __name__ are the names of the metrics.',
      tool: false,
      parameters: z.strictObject({
        label: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/u, 'is not a valid label name'),
        match: onlyOf,
      }),
      run: ({ label, match }, context) =>
        askPrometheus(http, ['label', label, 'values'], { 'match[]': match }, context),
    }),
    defineOperation({
      name: 'series',
      description: 'Label sets of the series that match one of the selectors.',
      tool: false,
      parameters: z.strictObject({
        match: selectors.min(1),
        start: unixSeconds.optional(),
        end: unixSeconds.optional(),
        limit: z.number().int().min(1).optional(),
      }),
      run: ({ match, start, end, limit }, context) =>
        askPrometheus(http, 'series', { 'match[]': match, start, end, limit }, context),
    }),
    defineOperation({
      name: 'metadata',
      description: 'Type, help and unit of the metrics.',
      tool: false,
      parameters: nothing,
      run: (_, context) => askPrometheus(http, 'metadata', {}, context),
    }),
    defineOperation({
      name: 'alerts',
      description: 'Alerts that are pending or firing.',
      tool: false,
      parameters: nothing,
      run: (_, context) => askPrometheus(http, 'alerts', {}, context),
    }),
    defineOperation({
      name: 'targets',
      description: 'The scrape targets and their health.',
      tool: false,
      parameters: nothing,
      run: (_, context) => askPrometheus(http, 'targets', { state: 'active' }, context),
    }),
  ];
}

/** @throws {QueryError} when there would be too many points per series, naming a step that works */
function checkRange(start: number, end: number, step: number): void {
  if (end < start) throw new QueryError('bad_request', 'end is before start');
  const points = Math.floor((end - start) / step) + 1;
  if (points <= MAX_POINTS) return;
  throw new QueryError(
    'bad_request',
    `that is ${points} points per series, and at most ${MAX_POINTS} are allowed: ask for a step of at least ` +
      `${Math.ceil((end - start) / (MAX_POINTS - 1))} seconds, or for a shorter time range`,
  );
}

/** Prometheus accepts no exponents in steps. */
function decimal(seconds: number): string {
  return seconds.toFixed(3);
}
