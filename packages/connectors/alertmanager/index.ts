/** Prometheus' Alertmanager, API version 2. */
import { z } from 'zod';
import { defineConnectorKind, defineOperation, type ConnectorOperation, type OperationContext } from '../connector.ts';
import { createHttpApi, httpApiConfig, type HttpApi, type Query } from '../shared/http-api/index.ts';
import { checkAnswer, parseAnswer } from '../shared/http-api/answers.ts';

const hint = 'The url of Alertmanager is its base URL, without /api/v2; that of Mimir ends in /alertmanager.';

const status = z.looseObject({ cluster: z.looseObject({}), versionInfo: z.looseObject({}) });
const filter = z
  .array(z.string().min(1))
  .max(100)
  .optional()
  .describe('matchers that must all hold, like severity="critical"');

export const alertmanager = defineConnectorKind({
  kind: 'alertmanager',
  config: httpApiConfig,
  create(config, { id, title }) {
    const http = createHttpApi(config, { name: 'Alertmanager', errorMessage });
    return {
      id,
      kind: 'alertmanager',
      title,
      operations: alertmanagerOperations(http),
      check: (signal) => checkAnswer(http, { path: ['api', 'v2', 'status'] }, status, { hint, signal }),
      close: () => http.close(),
    };
  },
});

function alertmanagerOperations(http: HttpApi): ConnectorOperation[] {
  const ask = (path: string[], query: Query, context: OperationContext): Promise<unknown> =>
    http.json({ path: ['api', 'v2', ...path], query }, context);
  return [
    defineOperation({
      name: 'alerts',
      description: 'Alerts with labels, annotations, since when, and whether they are silenced or inhibited.',
      tool: true,
      parameters: z.strictObject({
        active: z.boolean().optional().describe('include active ones; default true'),
        silenced: z.boolean().optional().describe('include silenced ones; default true'),
        inhibited: z.boolean().optional().describe('include inhibited ones; default true'),
        filter,
      }),
      run: (parameters, context) => ask(['alerts'], parameters, context),
    }),
    defineOperation({
      name: 'alert_groups',
      description: 'Alerts as they are grouped for notification, with the receiver of each group.',
      tool: true,
      parameters: z.strictObject({ filter }),
      run: (parameters, context) => ask(['alerts', 'groups'], parameters, context),
    }),
    defineOperation({
      name: 'silences',
      description: 'Silences with matchers, comment, author, start and end, and whether they are active.',
      tool: true,
      parameters: z.strictObject({ filter }),
      run: (parameters, context) => ask(['silences'], parameters, context),
    }),
    defineOperation({
      name: 'status',
      description: 'Version, uptime and cluster of Alertmanager; not its configuration, which may hold secrets.',
      tool: true,
      parameters: z.strictObject({}),
      async run(_, context) {
        const answer = parseAnswer(status, await ask(['status'], {}, context), http.place);
        return { ...answer, config: undefined };
      },
    }),
  ];
}

/** Alertmanager's errors are a single JSON string. */
function errorMessage(body: string): string | undefined {
  try {
    return z.string().parse(JSON.parse(body));
  } catch {
    return undefined;
  }
}
