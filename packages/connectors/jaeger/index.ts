/** Jaeger: the JSON API of its query service, which its own web application uses. */
import { z } from 'zod';
import {
  defineConnectorKind,
  defineOperation,
  QueryError,
  type ConnectorOperation,
  type OperationContext,
} from '../connector.ts';
import { createHttpApi, httpApiConfig, type HttpApi, type Query } from '../shared/http-api/index.ts';
import { checkAnswer, dataOf } from '../shared/http-api/answers.ts';
import { traceOperations } from '../shared/traces/index.ts';
import { jaegerTraces } from './traces.ts';
import { toGoDuration, unixSeconds } from '../shared/http-api/parameters.ts';

const MAX_TRACES = 500;
const hint = 'The url of Jaeger is the address of its query service with its base path, without /api.';

const service = z.string().min(1).max(500);
const errors = z.object({ errors: z.array(z.object({ msg: z.string() })).min(1) });

export const jaeger = defineConnectorKind({
  kind: 'jaeger',
  config: httpApiConfig,
  create(config, { id, title }) {
    const http = createHttpApi(config, { name: 'Jaeger', errorMessage });
    // Jaeger returns null before it has any service.
    const services = z.object({ data: z.array(z.string()).nullable(), total: z.number() });
    return {
      id,
      kind: 'jaeger',
      title,
      operations: [...jaegerOperations(http), ...traceOperations(jaegerTraces(http))],
      check: (signal) => checkAnswer(http, { path: ['api', 'services'] }, services, { hint, signal }),
      close: () => http.close(),
    };
  },
});

/** Jaeger's operations; each answer is the API's `data`. */
function jaegerOperations(http: HttpApi): ConnectorOperation[] {
  const ask = async (path: string[], query: Query, context: OperationContext): Promise<unknown> => {
    const answer = await http.json({ path: ['api', ...path], query }, context);
    return dataOf(answer, http.place);
  };
  return [
    defineOperation({
      name: 'services',
      description: 'Names of the services that sent spans.',
      tool: true,
      parameters: z.strictObject({}),
      run: (_, context) => ask(['services'], {}, context),
    }),
    defineOperation({
      name: 'operations',
      description: 'Names of the operations of a service.',
      tool: true,
      parameters: z.strictObject({ service }),
      run: (parameters, context) => ask(['services', parameters.service, 'operations'], {}, context),
    }),
    defineOperation({
      name: 'search',
      description:
        'Finds traces of a service in a time range. Returns whole traces: spans and the processes they ran in.',
      tool: true,
      parameters: z.strictObject({
        service,
        operation: z.string().min(1).optional(),
        tags: z.record(z.string(), z.string()).optional().describe('such as {"error": "true"}'),
        start: unixSeconds,
        end: unixSeconds,
        limit: z.number().int().min(1).max(MAX_TRACES).optional().describe('maximum number of traces, default 20'),
        min_duration_ms: z.number().min(0).optional(),
      }),
      run({ tags, start, end, limit = 20, min_duration_ms: least, ...rest }, context) {
        if (end < start) throw new QueryError('bad_request', 'end is before start');
        const parameters = {
          ...rest,
          tags: tags && JSON.stringify(tags),
          start: Math.round(start * 1e6),
          end: Math.round(end * 1e6),
          limit,
          minDuration: toGoDuration(least),
        };
        return ask(['traces'], parameters, context);
      },
    }),
    defineOperation({
      name: 'trace',
      description: 'One whole trace: its spans and the processes they ran in.',
      tool: true,
      parameters: z.strictObject({ trace_id: z.string().regex(/^[0-9a-fA-F]{1,32}$/u, 'must be hexadecimal') }),
      run: ({ trace_id: id }, context) => ask(['traces', id], {}, context),
    }),
    defineOperation({
      name: 'dependencies',
      description: 'Which service called which, and how often, in the seconds before end.',
      tool: true,
      parameters: z.strictObject({
        end: unixSeconds,
        lookback_seconds: z
          .number()
          .positive()
          .max(366 * 86_400),
      }),
      run: ({ end, lookback_seconds: seconds }, context) =>
        ask(['dependencies'], { endTs: Math.round(end * 1000), lookback: Math.round(seconds * 1000) }, context),
    }),
  ];
}

function errorMessage(body: string): string | undefined {
  try {
    return errors
      .parse(JSON.parse(body))
      .errors.map(({ msg }) => msg)
      .join('; ');
  } catch {
    return undefined;
  }
}
