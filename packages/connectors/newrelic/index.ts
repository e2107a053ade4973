/**
 * New Relic through NerdGraph, its GraphQL API (https://docs.newrelic.com/docs/apis/nerdgraph). Every question is a
 * variable of a fixed query; only queries are sent, no mutations.
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
import {
  changesIn,
  DOMAINS,
  goldenMetrics,
  issuesIn,
  runNrql,
  searchEntities,
  searchLogs,
  servicesOf,
} from './queries.ts';
import { NerdGraph } from './nerdgraph.ts';
import { testConnection } from './test-connection.ts';

const REGIONS = {
  us: 'https://api.newrelic.com',
  eu: 'https://api.eu.newrelic.com',
  jp: 'https://api.jp.newrelic.com',
} as const;

/** Issues are part of NerdGraph's published schema, but answer only those who name them. */
const OPT_IN = { 'nerd-graph-unsafe-experimental-opt-in': 'AiIssues' };

const config = z.strictObject({
  /** A user key: NRAK-… */
  api_key: headerSecret,
  region: z.enum(['us', 'eu', 'jp']).default('us'),
  /** The account that is queried. */
  account_id: z.number().int().positive().optional(),
  /** Base URL in place of the region's. */
  api_url: httpApiConfig.shape.url.optional(),
});

const seconds = z.number().min(0).max(1e11);
const window = {
  from: seconds.describe('Start of the window, unix seconds.'),
  to: seconds.describe('End of the window (exclusive), unix seconds.'),
};
const limit = (most: number, usual: number) => z.number().int().min(1).max(most).default(usual);
const words = z.string().trim().min(1).max(300);

/** How New Relic is configured and created. */
export const newrelic = defineConnectorKind({
  kind: 'newrelic',
  config,
  create: (settings, { id, title, network }) => {
    const { api_key, region, account_id, api_url } = settings;
    const http = createHttpApi(
      { url: api_url ?? REGIONS[region], headers: { 'API-Key': api_key, ...OPT_IN } },
      { name: 'New Relic', ...(network && { network }) },
    );
    const graph = new NerdGraph(http, account_id);
    return {
      id,
      kind: 'newrelic',
      title,
      operations: operationsOn(graph, account_id),
      async check(signal) {
        const { status, message } = await testConnection(graph, account_id, signal);
        if (status !== 'ok') throw new QueryError('failed', message);
      },
      close: () => http.close(),
    };
  },
});

function operationsOn(graph: NerdGraph, account: number | undefined): ConnectorOperation[] {
  return [
    defineOperation({
      name: TEST_CONNECTION,
      description: 'Whether the key works, and which accounts it sees.',
      parameters: z.strictObject({}),
      tool: false,
      run: (_parameters, { signal }) => testConnection(graph, account, signal),
    }),
    defineOperation({
      name: 'nrql',
      description:
        'Runs one NRQL query (SELECT … FROM … WHERE … SINCE … LIMIT …; also SHOW EVENT TYPES) and returns its rows, with the messages of New Relic. Aggregate and FACET in NRQL rather than reading many rows.',
      parameters: z.strictObject({ query: z.string().trim().min(1).max(20_000) }),
      tool: true,
      run: ({ query }, context) => runNrql(graph, query, context),
    }),
    defineOperation({
      name: 'search_entities',
      description:
        'Entities (services, hosts, databases, monitors) by name, type, domain or alert severity, with their guid and whether they report. Services of OpenTelemetry are of domain EXT.',
      parameters: z.strictObject({
        name: words.optional(),
        type: words.optional().describe('Such as APPLICATION, SERVICE, HOST.'),
        domain: z.enum(DOMAINS).optional(),
        alert_severity: z.enum(['CRITICAL', 'WARNING', 'NOT_ALERTING', 'NOT_CONFIGURED']).optional(),
        limit: limit(200, 50),
      }),
      tool: true,
      run: (query, context) => searchEntities(graph, query, context),
    }),
    defineOperation({
      name: 'golden_metrics',
      description:
        "An entity's golden metrics over a window as time series, with their units and New Relic's own queries.",
      parameters: z.strictObject({ guid: z.string().regex(/^[\w+/=-]{1,200}$/u), ...window }),
      tool: true,
      run: (query, context) => goldenMetrics(graph, query, context),
    }),
    defineOperation({
      name: 'issues',
      description: 'Issues (groups of incidents) that were open in a window: title, priority, state, entities, times.',
      parameters: z.strictObject({ ...window, state: z.enum(['CREATED', 'ACTIVATED', 'CLOSED']).optional() }),
      tool: true,
      run: (query, context) => issuesIn(graph, query, context),
    }),
    defineOperation({
      name: 'deployments',
      description: 'Deployments and other tracked changes in a window: service, version, description, author, commit.',
      parameters: z.strictObject({ ...window, service: words.optional(), limit: limit(500, 100) }),
      tool: true,
      run: async (query, context) => (await changesIn(graph, query, context)).changes,
    }),
    defineOperation({
      name: 'changes',
      description: 'Tracked changes, in order of time.',
      parameters: z.strictObject({ ...window, service: words.optional(), limit: limit(500, 200) }),
      tool: false,
      run: (query, context) => changesIn(graph, query, context),
    }),
    defineOperation({
      name: 'services',
      description: 'Services that report to APM or by OpenTelemetry.',
      parameters: z.strictObject({}),
      tool: false,
      run: (_parameters, context) => servicesOf(graph, context),
    }),
    defineOperation({
      name: 'search_logs',
      description: 'Log lines, in order of time, the newest if there are too many.',
      parameters: z.strictObject({
        ...window,
        service: words.optional(),
        text: z.string().max(1_000).optional(),
        level: z.enum(['error', 'warn', 'info', 'debug']).optional(),
        limit: limit(2_000, 200),
      }),
      tool: false,
      run: (query, context) => searchLogs(graph, query, context),
    }),
  ];
}
