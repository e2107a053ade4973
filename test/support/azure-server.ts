/**
 * Azure on loopback: Microsoft Entra's token endpoint, Resource Manager and Log Analytics, as far as Casebook reads them.
 * Tokens and their audiences, roles, API versions, parameters and filters are checked as Azure does.
 */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { planAnswers, type AnswerPlan } from './answer-plans.ts';
import { startHttpReceiver, type ReceivedRequest } from './http-receiver.ts';

type Row = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- rows in the vendor's JSON

export type AzureTarget = 'token' | 'arm' | 'logs';

export interface AzureServer {
  /** `AZURE_AUTHORITY_HOST` */
  authorityHost: string;
  /** `AZURE_RESOURCE_MANAGER_URL` */
  resourceManagerUrl: string;
  logAnalyticsUrl: string;
  tenantId: string;
  subscriptionId: string;
  clientId: string;
  clientSecret: string;
  workspaceId: string;
  data: {
    subscription: Row;
    resources: Row[];
    workspaces: Row[];
    /** Newest first. */
    events: Row[];
    /** Values by metric. */
    metrics: Record<string, Row[]>;
    definitions: Row[];
    /** Rows by table. */
    tables: Record<string, unknown[][]>;
  };
  /** Events on a page of the activity log. */
  pageSize: number;
  /** Actions that the application has no role for, such as `Microsoft.Resources/subscriptions/read`. */
  denied: Set<string>;
  /** The secret has expired. */
  secretExpired: boolean;
  requests: ReceivedRequest[];
  calls(target: AzureTarget): ReceivedRequest[];
  /** How the next requests to a target are answered instead. */
  next(target: AzureTarget, ...plans: AnswerPlan[]): void;
  /** How all requests to a target are answered instead, from now on. */
  always(target: AzureTarget, plan: AnswerPlan | undefined): void;
  /** Requests whose connection was closed before they were answered. */
  abandoned(): number;
  /** Forgets every token that was issued. */
  revokeTokens(): void;
  stop(): Promise<void>;
}

const TOKEN_SECONDS = 3_599;

class Refusal extends Error {
  readonly status: number;
  readonly body: object;
  constructor(status: number, body: object) {
    super('refused');
    this.status = status;
    this.body = body;
  }
}

const refuse = (status: number, code: string, message: string, more: object = {}): Refusal =>
  new Refusal(status, { error: { code, message, ...more } });

/** @param options.now unix ms, for the lives of tokens */
export async function startAzureServer(options: { now?: () => number } = {}): Promise<AzureServer> {
  const { now = Date.now } = options;
  const plans = planAnswers();
  const tokens = new Map<string, { audience: string; expiresAt: number }>();
  const tenantId = 'aaaabbbb-0000-4ccc-8ddd-2222eeee3333';
  const subscriptionId = '11112222-3333-4444-8555-666677778888';

  const token = (request: ReceivedRequest, tenant: string): object => {
    const form = new URLSearchParams(request.body);
    const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
    if (request.method !== 'POST' || isForm !== true)
      throw entra(900144, 'invalid_request', 'The request is not a form.');
    if (tenant !== tenantId)
      throw entra(
        90002,
        'invalid_request',
        `Tenant '${tenant}' not found. Check to make sure you have the correct tenant ID.`,
      );
    const fields = ['client_id', 'client_secret', 'grant_type', 'scope'];
    if ([...form.keys()].sort((a, b) => a.localeCompare(b)).join(' ') !== fields.join(' '))
      throw entra(
        900144,
        'invalid_request',
        `The request body must contain the following parameters: ${fields.join(', ')}.`,
      );
    if (form.get('grant_type') !== 'client_credentials')
      throw entra(70003, 'unsupported_grant_type', 'The app requested an unsupported grant type.');
    if (form.get('client_id') !== server.clientId)
      throw entra(
        700016,
        'unauthorized_client',
        `Application with identifier '${form.get('client_id')}' was not found in the directory 'Shop'.`,
      );
    if (form.get('client_secret') !== server.clientSecret)
      throw entra(
        7000215,
        'invalid_client',
        'Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID.',
        401,
      );
    if (server.secretExpired)
      throw entra(7000222, 'invalid_client', 'The provided client secret keys for app are expired.', 401);
    const audience = (form.get('scope') ?? '').replace(/\/\.default$/u, '');
    if (![server.resourceManagerUrl, server.logAnalyticsUrl].includes(audience) || audience === form.get('scope'))
      throw entra(70011, 'invalid_scope', `The provided value for the input parameter 'scope' isn't valid.`);
    const issued = `eyJ0eXAiOiJKV1QifQ.${randomBytes(48).toString('base64url')}`;
    tokens.set(issued, { audience, expiresAt: now() + TOKEN_SECONDS * 1000 });
    return { token_type: 'Bearer', expires_in: TOKEN_SECONDS, ext_expires_in: TOKEN_SECONDS, access_token: issued };
  };

  const authenticate = ({ headers }: ReceivedRequest, audience: string): void => {
    const { authorization } = headers;
    if (authorization === undefined)
      throw refuse(401, 'AuthenticationFailed', "Authentication failed. The 'Authorization' header is missing.");
    const known = tokens.get(authorization.replace(/^Bearer /u, ''));
    if (!known || known.expiresAt <= now())
      throw refuse(401, 'InvalidAuthenticationToken', 'The access token is invalid.');
    if (known.audience !== audience)
      throw refuse(
        audience === server.resourceManagerUrl ? 401 : 403,
        'InvalidAuthenticationTokenAudience',
        `The access token has been obtained for wrong audience or resource '${known.audience}'.`,
      );
  };

  const requireAction = (action: string): void => {
    if (!server.denied.has(action)) return;
    throw refuse(
      403,
      'AuthorizationFailed',
      `The client '${server.clientId}' does not have authorization to perform action '${action}' over scope '/subscriptions/${subscriptionId}' or the scope is invalid.`,
    );
  };

  const manage = (request: ReceivedRequest, path: string, query: URLSearchParams): object => {
    authenticate(request, server.resourceManagerUrl);
    const [, id = '', rest = ''] = /^\/subscriptions\/([^/]+)(.*)$/u.exec(path) ?? [];
    const method = methods.find((each) => each.path.test(rest));
    if (!method || request.method !== 'GET') throw refuse(404, 'NotFound', 'The resource type could not be found.');
    const version = query.get('api-version');
    if (version === null)
      throw refuse(400, 'MissingApiVersionParameter', 'The api-version query parameter is required.');
    if (version !== method.version)
      throw refuse(400, 'InvalidApiVersionParameter', `The api-version '${version}' is invalid.`);
    if (id !== subscriptionId)
      throw refuse(404, 'SubscriptionNotFound', `The subscription '${id}' could not be found.`);
    requireAction(method.action);
    const unknown = [...query.keys()].find((name) => name !== 'api-version' && !method.parameters.includes(name));
    if (unknown !== undefined) throw refuse(400, 'BadRequest', `The query parameter '${unknown}' is not supported.`);
    return method.run(query, server, decodeURIComponent(rest));
  };

  const queryLogs = (request: ReceivedRequest, path: string): object => {
    authenticate(request, server.logAnalyticsUrl);
    const [, workspace] = /^\/v1\/workspaces\/([^/]+)\/query$/u.exec(path) ?? [];
    if (workspace !== server.workspaceId) throw refuse(404, 'PathNotFoundError', 'The requested path does not exist');
    if (server.denied.has('Microsoft.OperationalInsights/workspaces/query/read'))
      throw refuse(
        403,
        'InsufficientAccessError',
        'The provided credentials have insufficient access to perform the requested operation',
      );
    const body = JSON.parse(request.body) as Row;
    const unknown = Object.keys(body).find((name) => !['query', 'timespan', 'workspaces'].includes(name));
    const isRight = request.method === 'POST' && request.headers['content-type'] === 'application/json';
    if (unknown !== undefined || !isRight || !isTimespan(body['timespan']))
      throw refuse(400, 'BadArgumentError', 'The request had some invalid properties');
    return runQuery(String(body['query']), server.data.tables);
  };

  const receiver = await startHttpReceiver((request, response) => {
    const url = new URL(request.path, 'http://azure');
    const [, name = '', path = ''] = /^\/(entra|arm|logs)(\/.*)$/u.exec(url.pathname) ?? [];
    const target = targetOf(url.pathname);
    if (target === undefined) return send(response, 404, {});
    if (plans.answer(target, request, response)) return;
    try {
      const tenant = /^\/([^/]+)\/oauth2\/v2\.0\/token$/u.exec(path)?.[1] ?? '';
      if (name === 'entra') send(response, 200, token(request, tenant));
      else send(response, 200, name === 'arm' ? manage(request, path, url.searchParams) : queryLogs(request, path));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      send(response, error.status, error.body);
    }
  });

  const server: AzureServer = {
    authorityHost: `${receiver.url}/entra`,
    resourceManagerUrl: `${receiver.url}/arm`,
    logAnalyticsUrl: `${receiver.url}/logs`,
    tenantId,
    subscriptionId,
    clientId: '00001111-aaaa-4222-8bbb-3333cccc4444',
    clientSecret: 'A1b8Q~secret.of-the.application',
    workspaceId: '99990000-1111-4222-8333-444455556666',
    data: {
      subscription: { id: `/subscriptions/${subscriptionId}`, subscriptionId, displayName: 'Shop', state: 'Enabled' },
      resources: [],
      workspaces: [],
      events: [],
      metrics: {},
      definitions: [],
      tables: {},
    },
    pageSize: 200,
    denied: new Set(),
    secretExpired: false,
    requests: receiver.requests,
    calls: (target) =>
      receiver.requests.filter(({ path }) => targetOf(new URL(path, 'http://azure').pathname) === target),
    next: plans.next,
    always: plans.always,
    abandoned: plans.abandoned,
    revokeTokens: () => tokens.clear(),
    stop: receiver.stop,
  };
  return server;
}

function targetOf(path: string): AzureTarget | undefined {
  const [, name] = /^\/(entra|arm|logs)\//u.exec(path) ?? [];
  return name === 'entra' ? 'token' : (name as AzureTarget | undefined);
}

interface Method {
  /** Below the subscription. */
  path: RegExp;
  version: string;
  action: string;
  parameters: readonly string[];
  run(query: URLSearchParams, server: AzureServer, path: string): object;
}

const RESOURCE = '(?:/resourceGroups/[^/]+)?/providers/[^/]+(?:/[^/]+/[^/]+)+';

const methods: Method[] = [
  {
    path: /^$/u,
    version: '2022-12-01',
    action: 'Microsoft.Resources/subscriptions/read',
    parameters: [],
    run: (_, { data }) => data.subscription,
  },
  {
    path: /^\/providers\/Microsoft\.OperationalInsights\/workspaces$/u,
    version: '2022-10-01',
    action: 'Microsoft.OperationalInsights/workspaces/read',
    parameters: [],
    run: (_, { data }) => ({ value: data.workspaces }),
  },
  {
    path: /^(?:\/resourceGroups\/[^/]+)?\/resources$/u,
    version: '2021-04-01',
    action: 'Microsoft.Resources/subscriptions/resources/read',
    parameters: ['$filter', '$top', '$expand'],
    run(query, { data, subscriptionId }, path) {
      const [, group] = /^\/resourceGroups\/([^/]+)/u.exec(path) ?? [];
      const matches = resourceFilter(query.get('$filter'));
      const found = data.resources.filter(
        (row) => matches(row) && (group === undefined || groupOf(row).toLowerCase() === group.toLowerCase()),
      );
      const top = Number(query.get('$top') ?? 1_000);
      const nextLink = `https://management.azure.com/subscriptions/${subscriptionId}/resources?$skiptoken=more`;
      return { value: found.slice(0, top), ...(found.length > top && { nextLink }) };
    },
  },
  {
    path: new RegExp(`^${RESOURCE}/providers/Microsoft.Insights/metrics$`, 'u'),
    version: '2023-10-01',
    action: 'Microsoft.Insights/metrics/read',
    parameters: ['timespan', 'interval', 'metricnames', 'aggregation', 'top', 'orderby', '$filter', 'metricnamespace'],
    run(query, { data }, path) {
      const names = (query.get('metricnames') ?? '').split(',');
      const unknown = names.find((name) => !data.metrics[name]);
      // Metrics have no envelope around their errors.
      if (unknown !== undefined)
        throw new Refusal(400, { code: 'BadRequest', message: `Failed to find metric configuration for ${unknown}` });
      if (!isTimespan(query.get('timespan')))
        throw new Refusal(400, { code: 'BadRequest', message: 'Invalid timespan' });
      const matches = conditionsOf(query.get('$filter'), /^[A-Za-z][\w/.-]*$/u);
      const id = path.replace(/\/providers\/Microsoft\.Insights\/metrics$/u, '');
      return {
        timespan: query.get('timespan'),
        interval: query.get('interval') ?? 'PT1M',
        value: names.map((value) => ({
          id: `${id}/${value}`,
          name: { value },
          unit: 'Count',
          timeseries: data.metrics[value]!.filter((series) =>
            matches.every(([name, wanted]) => wanted === '*' || series['dimensions']?.[name] === wanted),
          ),
        })),
      };
    },
  },
  {
    path: new RegExp(`^${RESOURCE}/providers/Microsoft.Insights/metricDefinitions$`, 'u'),
    version: '2023-10-01',
    action: 'Microsoft.Insights/metricDefinitions/read',
    parameters: ['metricnamespace'],
    run: (_, { data }) => ({ value: data.definitions }),
  },
  {
    path: /^\/providers\/Microsoft\.Insights\/eventtypes\/management\/values$/u,
    version: '2015-04-01',
    action: 'Microsoft.Insights/eventtypes/values/read',
    parameters: ['$filter', '$select', '$skiptoken'],
    run(query, { data, pageSize, subscriptionId }) {
      const matches = eventFilter(query.get('$filter') ?? '');
      const found = data.events.filter(matches);
      const start = Number(query.get('$skiptoken') ?? 0);
      const end = start + pageSize;
      const nextLink = `https://management.azure.com/subscriptions/${subscriptionId}/providers/Microsoft.Insights/eventtypes/management/values?api-version=2015-04-01&$skiptoken=${end}`;
      return { value: found.slice(start, end), ...(end < found.length && { nextLink }) };
    },
  },
];

const groupOf = (row: Row): string => /\/resourceGroups\/([^/]+)/iu.exec(row['id'])?.[1] ?? '';

/** `name eq 'value'` joined by `and`. */
function conditionsOf(filter: string | null, names: RegExp): [string, string][] {
  if (filter === null) return [];
  const pattern = /(?<name>[^\s']+) (?<operator>eq|ge|le) '(?<value>(?:[^']|'')*)'(?: and (?=\S)|$)/guy;
  const found = [...filter.matchAll(pattern)];
  if (found.map(([text]) => text).join('') !== filter || found.length === 0 || filter.endsWith(' and '))
    throw refuse(400, 'BadRequest', `Invalid $filter '${filter}' specified in the query string.`);
  return found.map(({ groups }) => {
    const { name, operator, value } = groups!;
    if (!names.test(name!)) throw refuse(400, 'BadRequest', `Property '${name}' is not supported in $filter.`);
    return [operator === 'eq' ? name! : `${name} ${operator}`, value!.replaceAll("''", "'")];
  });
}

/** Only the documented patterns are accepted: two times, and at most one more condition. */
function eventFilter(filter: string): (event: Row) => boolean {
  const conditions = conditionsOf(
    filter,
    /^(?:eventTimestamp|resourceGroupName|resourceUri|resourceProvider|correlationId)$/u,
  );
  const [from, to, third, ...more] = conditions;
  if (from?.[0] !== 'eventTimestamp ge' || to?.[0] !== 'eventTimestamp le' || more.length > 0)
    throw refuse(400, 'BadRequest', 'The $filter clause is not supported.');
  const member = { resourceGroupName: 'resourceGroupName', resourceUri: 'resourceId', correlationId: 'correlationId' };
  return (event) => {
    const at = Date.parse(event['eventTimestamp']);
    if (at < Date.parse(from[1]) || at > Date.parse(to[1])) return false;
    if (!third) return true;
    const value =
      third[0] === 'resourceProvider'
        ? event['resourceProviderName'].value
        : event[member[third[0] as keyof typeof member]];
    return String(value).toLowerCase() === third[1].toLowerCase();
  };
}

/** A type, a part of the name, or both; or a tag. */
function resourceFilter(filter: string | null): (row: Row) => boolean {
  const [, part] = /substringof\('((?:[^']|'')*)', name\)$/u.exec(filter ?? '') ?? [];
  const rest = (filter ?? '').replace(/(?:^| and )substringof\('(?:[^']|'')*', name\)$/u, '');
  const conditions = new Map(conditionsOf(rest === '' ? null : rest, /^(?:resourceType|tagName|tagValue)$/u));
  const [type, tag, value] = ['resourceType', 'tagName', 'tagValue'].map((name) => conditions.get(name));
  if (tag !== undefined && (type !== undefined || part !== undefined))
    throw refuse(400, 'InvalidFilterInQueryString', 'Filters by tag cannot be combined.');
  return (row) =>
    (type === undefined || row['type'].toLowerCase() === type.toLowerCase()) &&
    (part === undefined || row['name'].includes(part.replaceAll("''", "'"))) &&
    (tag === undefined || row['tags']?.[tag] === value);
}

function isTimespan(text: unknown): boolean {
  const [start, end] = String(text)
    .split('/')
    .map((time) => Date.parse(time));
  return start !== undefined && end !== undefined && start < end;
}

/** Of KQL it knows `TABLE`, `TABLE | take N` and `print N`. */
function runQuery(query: string, tables: Record<string, unknown[][]>): object {
  const answer = (rows: unknown[][]) => ({
    tables: [
      { name: 'PrimaryResult', columns: (rows[0] ?? []).map((_, n) => ({ name: `c${n}`, type: 'string' })), rows },
    ],
  });
  const [, printed] = /^print (\d+)$/u.exec(query) ?? [];
  if (printed !== undefined) return answer([[Number(printed)]]);
  const [, table, rows = '1000'] = /^(\w+)(?: \| take (\d+))?$/u.exec(query) ?? [];
  if (table === undefined)
    throw refuse(400, 'BadArgumentError', 'The request had some invalid properties', {
      innererror: { code: 'SyntaxError', message: 'A syntax error has been identified in the query.' },
    });
  if (!tables[table])
    throw refuse(400, 'BadArgumentError', 'The request had some invalid properties', {
      innererror: {
        code: 'SemanticError',
        message: 'A semantic error occurred.',
        innererror: {
          code: 'SEM0100',
          message: `'where' operator: Failed to resolve table or column expression named '${table}'`,
        },
      },
    });
  return answer(tables[table].slice(0, Number(rows)));
}

function entra(number: number, error: string, words: string, status = 400): Refusal {
  const ids = 'Trace ID: 0000aaaa-11bb-cccc-dd22-eeeeee333333 Correlation ID: aaaa0000-bb11-2222-33cc-444444dddddd';
  return new Refusal(status, {
    error,
    error_description: `AADSTS${number}: ${words}\r\n${ids.replace(' Corr', '\r\nCorr')}\r\nTimestamp: 2026-06-01 12:00:00Z`,
    error_codes: [number],
    timestamp: '2026-06-01 12:00:00Z',
    trace_id: '0000aaaa-11bb-cccc-dd22-eeeeee333333',
    correlation_id: 'aaaa0000-bb11-2222-33cc-444444dddddd',
    error_uri: `https://login.microsoftonline.com/error?code=${number}`,
  });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}
