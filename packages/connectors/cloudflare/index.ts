/**
 * Cloudflare: its REST API v4 and its GraphQL Analytics API (https://developers.cloudflare.com/api,
 * https://developers.cloudflare.com/analytics/graphql-api). Every question is a variable of a fixed query.
 */
import { z } from 'zod';
import {
  defineConnectorKind,
  defineOperation,
  QueryError,
  TEST_CONNECTION,
  type ConnectorOperation,
} from '../connector.ts';
import { createHttpApi, httpApiConfig } from '../shared/http-api/index.ts';
import { headerSecret } from '../shared/header-values.ts';
import { firewallEvents, workerErrors, zoneAnalytics } from './analytics.ts';
import { Cloudflare, errorWords } from './api.ts';
import { auditLog, changesIn } from './audit-log.ts';
import { testConnection } from './test-connection.ts';

const config = z.strictObject({
  api_token: headerSecret,
  account_id: z
    .string()
    .regex(/^[0-9a-f]{32}$/u, 'must be the id of an account')
    .optional(),
  api_url: httpApiConfig.shape.url.default('https://api.cloudflare.com/client/v4'),
});

const seconds = z.number().min(0).max(1e11);
const window = {
  from: seconds.describe('Start of the window, unix seconds.'),
  to: seconds.describe('End of the window (exclusive), unix seconds.'),
};
const zone = z.string().trim().min(1).max(253).describe('A zone by its name, such as example.com, or its id.');
const limit = (most: number, usual: number) => z.number().int().min(1).max(most).default(usual);

/** How Cloudflare is configured and created. */
export const cloudflare = defineConnectorKind({
  kind: 'cloudflare',
  config,
  create: ({ api_token, account_id, api_url }, { id, title, network }) => {
    const http = createHttpApi(
      { url: api_url, bearer_token: api_token },
      { name: 'Cloudflare', errorMessage: errorWords, ...(network && { network }) },
    );
    const api = new Cloudflare(http, account_id);
    return {
      id,
      kind: 'cloudflare',
      title,
      operations: operationsOn(api),
      async check(signal) {
        const { status, message } = await testConnection(api, signal);
        if (status !== 'ok') throw new QueryError('failed', message);
      },
      close: () => http.close(),
    };
  },
});

function operationsOn(api: Cloudflare): ConnectorOperation[] {
  return [
    defineOperation({
      name: TEST_CONNECTION,
      description: 'Whether the token works, and which accounts it sees.',
      parameters: z.strictObject({}),
      tool: false,
      run: (_parameters, { signal }) => testConnection(api, signal),
    }),
    defineOperation({
      name: 'zones',
      description: 'Zones (domains) that the token sees: name, id, status, plan, and whether they are paused.',
      parameters: z.strictObject({ limit: limit(500, 100) }),
      tool: true,
      run: ({ limit: most }, context) => api.zones(most, context),
    }),
    defineOperation({
      name: 'zone_analytics',
      description:
        'HTTP traffic of a zone in five-minute steps: requests, bytes, time to first byte and origin duration (p50, p95, in ms), by status and cache status.',
      parameters: z.strictObject({ zone, ...window, limit: limit(5_000, 1_000) }),
      tool: true,
      run: (query, context) => zoneAnalytics(api, query, context),
    }),
    defineOperation({
      name: 'firewall_events',
      description:
        'Requests of a zone that a security product blocked, challenged or logged, newest first: action, rule, host, path, country, user agent.',
      parameters: z.strictObject({ zone, ...window, limit: limit(1_000, 100) }),
      tool: true,
      run: (query, context) => firewallEvents(api, query, context),
    }),
    defineOperation({
      name: 'worker_errors',
      description: "Invocations of the account's Workers by script and status: requests, errors, CPU time (p50, p99).",
      parameters: z.strictObject({ ...window, limit: limit(1_000, 200) }),
      tool: true,
      run: (query, context) => workerErrors(api, query, context),
    }),
    defineOperation({
      name: 'audit_log',
      description: "The account's audit log, newest first: who changed what, where, and whether it succeeded.",
      parameters: z.strictObject({ ...window, limit: limit(1_000, 100) }),
      tool: true,
      run: (query, context) => auditLog(api, query, context),
    }),
    defineOperation({
      name: 'changes',
      description: 'Changes that succeeded, from the audit log, in order of time.',
      parameters: z.strictObject({ ...window, service: z.string().max(300).optional(), limit: limit(1_000, 200) }),
      tool: false,
      run: (query, context) => changesIn(api, query, context),
    }),
  ];
}
