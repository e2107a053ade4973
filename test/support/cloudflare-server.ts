/**
 * Cloudflare on loopback: its REST API v4 and its GraphQL Analytics API, as far as Casebook reads them. Tokens, their
 * permissions and resources, parameters and pages are checked as Cloudflare does; queries are validated and run against
 * its published schema (cloudflare/analytics.graphql).
 */
import { Kind, parse, visit, type ExecutionResult } from 'graphql';
import { planAnswers, type AnswerPlan } from './answer-plans.ts';
import { readSchema, runGraphql } from './graphql-schema.ts';
import { startHttpReceiver, type ReceivedRequest } from './http-receiver.ts';

type Row = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- rows in the vendor's JSON

export interface FakeToken {
  id: string;
  value: string;
  status: 'active' | 'disabled' | 'expired';
  /** Of a user, or the id of the account that owns it. */
  owner: string;
  permissions: Set<'Zone' | 'Account Settings' | 'Analytics'>;
  accounts: string[];
}

export interface CloudflareServer {
  /** `CLOUDFLARE_API_URL` */
  url: string;
  token: FakeToken;
  accounts: { id: string; name: string }[];
  zones: { id: string; name: string; account: string; [more: string]: unknown }[];
  /** Newest first, by account. */
  auditLogs: Map<string, Row[]>;
  /** Rows of datasets, each with the `tag` of its zone or account. */
  traffic: Row[];
  firewall: Row[];
  workers: Row[];
  /** Fields that the plan of each zone lacks. */
  lackedFields: Set<string>;
  /** Most seconds of a query's window. */
  maxWindowSeconds: number;
  requests: ReceivedRequest[];
  /** How the next requests are answered instead. */
  next(...plans: AnswerPlan[]): void;
  /** How the next requests below a path are answered instead. */
  nextTo(target: 'rest' | 'graphql', ...plans: AnswerPlan[]): void;
  /** Requests whose connection was closed before they were answered. */
  abandoned(): number;
  stop(): Promise<void>;
}

interface Answer {
  status: number;
  body: object;
}

const schema = readSchema('./cloudflare/analytics.graphql', import.meta.url);

const refuse = (status: number, code: number, message: string, more: object = {}): Answer => ({
  status,
  body: { success: false, errors: [{ code, message, ...more }], messages: [], result: null },
});
const INVALID_TOKEN = refuse(401, 1000, 'Invalid API Token');
const NO_ACCESS = refuse(403, 10_000, 'Authentication error');
const TOKEN_FORM = /^Bearer [\w-]{40,}$/u;

const give = (result: unknown, result_info?: object): Answer => ({
  status: 200,
  body: { success: true, errors: [], messages: [], result, ...(result_info && { result_info }) },
});

export async function startCloudflareServer(): Promise<CloudflareServer> {
  const plans = planAnswers();
  const receiver = await startHttpReceiver((request, response) => {
    const send = ({ status, body }: Answer): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const url = new URL(request.path, 'http://cloudflare');
    const path = url.pathname.replace(/^\/client\/v4/u, '');
    const target = path === '/graphql' ? 'graphql' : 'rest';
    if (plans.answer(target, request, response)) return;
    const { authorization = '' } = request.headers;
    if (!TOKEN_FORM.test(authorization)) {
      const error_chain = [{ code: 6111, message: 'Invalid format for Authorization header' }];
      return send(refuse(400, 6003, 'Invalid request headers', { error_chain }));
    }
    const isKnown = authorization === `Bearer ${server.token.value}`;
    if (target === 'rest') return send(isKnown ? rest(server, request.method, path, url.searchParams) : INVALID_TOKEN);
    if (!isKnown || server.token.status !== 'active') return send(refuse(403, 10_000, 'Authentication error'));
    analytics(server, request.body).then(
      (result) => send({ status: 200, body: { data: null, errors: null, ...result } }),
      () => send({ status: 500, body: {} }),
    );
  });

  const server: CloudflareServer = {
    url: `${receiver.url}/client/v4`,
    token: {
      id: 'ed17574386854bf78a67040be0a770b0',
      value: 'Sn3lZJTBX6kkg7OdcBUAxOO963GEIyGQqnFTOFYY',
      status: 'active',
      owner: 'user',
      permissions: new Set(['Zone', 'Account Settings', 'Analytics']),
      accounts: [],
    },
    accounts: [],
    zones: [],
    auditLogs: new Map(),
    traffic: [],
    firewall: [],
    workers: [],
    lackedFields: new Set(),
    maxWindowSeconds: 86_400,
    requests: receiver.requests,
    next: (...some) => plans.next('rest', ...some),
    nextTo: plans.next,
    abandoned: plans.abandoned,
    stop: receiver.stop,
  };
  return server;
}

function rest(server: CloudflareServer, method: string, path: string, query: URLSearchParams): Answer {
  const { token } = server;
  const [, account, rest] = /^\/accounts\/([^/]+)(\/.*)?$/u.exec(path) ?? [];
  const verified = give({ id: token.id, status: token.status });
  if (method !== 'GET') return refuse(405, 10_405, 'Method not allowed for this authentication scheme');
  if (path === '/user/tokens/verify') return token.owner === 'user' ? verified : INVALID_TOKEN;
  if (rest === '/tokens/verify') return token.owner === account ? verified : NO_ACCESS;
  if (token.status !== 'active') return NO_ACCESS;
  const seen = server.accounts.filter(({ id }) => token.accounts.includes(id));
  const mayReadAccounts = token.permissions.has('Account Settings');
  if (path === '/accounts') return pageOf(mayReadAccounts ? seen : [], query, [], 50);
  if (path === '/zones') {
    if (!token.permissions.has('Zone')) return NO_ACCESS;
    const wanted = { name: query.get('name'), account: query.get('account.id') };
    const found = server.zones.filter(
      (zone) =>
        token.accounts.includes(zone.account) &&
        (wanted.name ?? zone.name) === zone.name &&
        (wanted.account ?? zone.account) === zone.account,
    );
    return pageOf(found, query, ['name', 'account.id'], 50);
  }
  if (account === undefined) return refuse(404, 7003, `Could not route to ${path}`);
  if (!mayReadAccounts || !token.accounts.includes(account)) return NO_ACCESS;
  if (rest === undefined) return give(seen.find(({ id }) => id === account));
  if (rest !== '/audit_logs') return refuse(404, 7003, `Could not route to ${path}`);
  const [since, before] = [Date.parse(query.get('since') ?? ''), Date.parse(query.get('before') ?? '')];
  if (Number.isNaN(since) || Number.isNaN(before)) return refuse(400, 10_400, 'since and before must be dates');
  const logs = (server.auditLogs.get(account) ?? []).filter(
    ({ when }) => Date.parse(when) >= since && Date.parse(when) < before,
  );
  const ordered = query.get('direction') === 'asc' ? logs.toReversed() : logs;
  return pageOf(ordered, query, ['since', 'before', 'direction'], 1_000);
}

/** @param most items on a page */
function pageOf(items: object[], query: URLSearchParams, parameters: string[], most: number): Answer {
  const unknown = [...query.keys()].find((name) => ![...parameters, 'page', 'per_page'].includes(name));
  if (unknown !== undefined) return refuse(400, 10_400, `Unknown query parameter ${unknown}`);
  const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 20)];
  if (size > most) return refuse(400, 1018, `per_page must be at most ${most}`);
  const result = items.slice((page - 1) * size, page * size);
  const total_pages = Math.ceil(items.length / size);
  return give(result, { page, per_page: size, count: result.length, total_count: items.length, total_pages });
}

interface Query {
  filter?: { datetime_geq: string; datetime_lt: string };
  limit: number;
  orderBy?: string[];
}

/** Errors are as Cloudflare words them, without a code. */
const failed = (message: string): ExecutionResult => ({ data: null, errors: [{ message }] as never });

async function analytics(server: CloudflareServer, body: string): Promise<ExecutionResult> {
  const { token, lackedFields } = server;
  const lacked = namesIn(body).find((name) => lackedFields.has(name));
  const [zone] = server.zones;
  if (lacked !== undefined)
    return failed(`zone '${zone?.id}' does not have access to the field '${lacked.toLowerCase()}' from the path`);
  const rows =
    (all: Row[], tag: string) =>
    ({ filter, limit, orderBy = [] }: Query): Row[] => {
      const [from, to] = [Date.parse(filter?.datetime_geq ?? ''), Date.parse(filter?.datetime_lt ?? '')];
      if (to - from > server.maxWindowSeconds * 1_000)
        throw new Error(`zone '${tag}' cannot request a time range wider than 1d`);
      const found = all.filter(
        (row) => row['tag'] === tag && Date.parse(row['at']) >= from && Date.parse(row['at']) < to,
      );
      const sign = orderBy.some((order) => order.endsWith('_DESC')) ? -1 : 1;
      return found.sort((a, b) => sign * (Date.parse(a['at']) - Date.parse(b['at']))).slice(0, limit);
    };
  return runGraphql(schema, body, {
    viewer: {
      accounts({ filter }: { filter: { accountTag: string } }) {
        if (!token.permissions.has('Analytics')) throw new Error('not authorized for that account');
        return server.accounts
          .filter(({ id }) => id === filter.accountTag && token.accounts.includes(id))
          .map(({ id }) => ({ accountTag: id, workersInvocationsAdaptive: rows(server.workers, id) }));
      },
      zones({ filter }: { filter: { zoneTag: string } }) {
        if (!token.permissions.has('Analytics')) throw new Error(`zones [${filter.zoneTag}] are not authorized`);
        return server.zones
          .filter(({ id, account }) => id === filter.zoneTag && token.accounts.includes(account))
          .map(({ id }) => ({
            zoneTag: id,
            httpRequestsAdaptiveGroups: rows(server.traffic, id),
            firewallEventsAdaptive: rows(server.firewall, id),
          }));
      },
    },
  });
}

/** The names of the fields of a query. */
function namesIn(body: string): string[] {
  const names: string[] = [];
  visit(parse((JSON.parse(body) as { query: string }).query), {
    [Kind.FIELD]: ({ name }) => void names.push(name.value),
  });
  return names;
}
