/** Grafana Tempo. */
import { z } from 'zod';
import { defineConnectorKind, defineOperation, QueryError, type ConnectorOperation } from '../connector.ts';
import { createHttpApi, httpApiConfig, type HttpApi } from '../shared/http-api/index.ts';
import { checkAnswer } from '../shared/http-api/answers.ts';
import { traceOperations } from '../shared/traces/index.ts';
import { tempoTraces } from './traces.ts';
import { toGoDuration, toLogfmt, unixSeconds } from '../shared/http-api/parameters.ts';

const MAX_TRACES = 500;
const hint = 'The url of Tempo is its base URL, without /api.';

export const tempo = defineConnectorKind({
  kind: 'tempo',
  config: httpApiConfig,
  create(config, { id, title }) {
    const http = createHttpApi(config, { name: 'Tempo' });
    return {
      id,
      kind: 'tempo',
      title,
      operations: [...tempoOperations(http), ...traceOperations(tempoTraces(http))],
      // Tempo's health endpoint: its query frontend answers with the word.
      check: (signal) =>
        checkAnswer(http, { path: ['api', 'echo'], as: 'text' }, z.string().regex(/^\s*echo\s*$/u), { hint, signal }),
      close: () => http.close(),
    };
  },
});

function tempoOperations(http: HttpApi): ConnectorOperation[] {
  return [
    defineOperation({
      name: 'search',
      description:
        'Finds traces in a time range by a TraceQL query like { resource.service.name = "cart" && status = error }, or ' +
        'by tags and minimum duration. Returns trace ids, root service and name, start, duration, and spans that matched.',
      tool: true,
      parameters: z.strictObject({
        query: z.string().min(1).max(20_000).optional().describe('TraceQL'),
        tags: z
          .record(z.string().min(1), z.string())
          .optional()
          .describe('attributes, such as service.name; not with query'),
        start: unixSeconds,
        end: unixSeconds,
        limit: z.number().int().min(1).max(MAX_TRACES).optional().describe('maximum number of traces, default 20'),
        min_duration_ms: z.number().min(0).optional().describe('not with query, which can say { duration > 200ms }'),
      }),
      run({ query, tags, start, end, limit, min_duration_ms: least }, context) {
        if (query !== undefined && (tags !== undefined || least !== undefined)) {
          throw new QueryError(
            'bad_request',
            'query excludes the other filters: write tags and duration in TraceQL, like { .key = "value" && duration > 200ms }',
          );
        }
        if (end < start) throw new QueryError('bad_request', 'end is before start');
        const parameters = {
          q: query,
          tags: toLogfmt(tags),
          minDuration: toGoDuration(least),
          // Tempo accepts whole seconds only.
          start: Math.floor(start),
          end: Math.ceil(end),
          limit,
        };
        return http.json({ path: ['api', 'search'], query: parameters }, context);
      },
    }),
    defineOperation({
      name: 'trace',
      description: "One whole trace, in OpenTelemetry's JSON.",
      tool: true,
      parameters: z.strictObject({ trace_id: z.string().regex(/^[0-9a-fA-F]{1,32}$/u, 'must be hexadecimal') }),
      run: ({ trace_id: id }, context) => http.json({ path: ['api', 'traces', id] }, context),
    }),
  ];
}
