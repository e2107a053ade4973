/**
 * New Relic on loopback: NerdGraph, as far as Casebook reads it. Queries are validated and run against its published schema
 * (newrelic/nerdgraph.graphql), NRQL against events by type.
 */
import { GraphQLError, type ExecutionResult } from 'graphql';
import { planAnswers, type AnswerPlan } from './answer-plans.ts';
import { readSchema, runGraphql } from './graphql-schema.ts';
import { startHttpReceiver, type ReceivedRequest } from './http-receiver.ts';
import { NrqlError, runNrql, type Events } from './newrelic/nrql.ts';

export interface FakeEntity {
  guid: string;
  name: string;
  accountId: number;
  domain: string;
  type: string;
  alertSeverity: string;
  reporting: boolean;
  goldenMetrics: { name: string; title: string; unit: string; query(since?: string, until?: string): string }[];
}

interface FakeIssue extends Record<string, unknown> {
  issueId: string;
  accountId: number;
  state: string;
  createdAt: number;
  closedAt?: number;
}

export interface NewRelicServer {
  /** `NEW_RELIC_API_URL` */
  url: string;
  apiKey: string;
  accounts: { id: number; name: string }[];
  /** Events by type, by account. */
  events: Map<number, Events>;
  entities: FakeEntity[];
  issues: FakeIssue[];
  /** Entities and issues on a page. */
  pageSize: number;
  /** How a wrong key is refused: by the status, or as an error of GraphQL with status 200. */
  refuses: 'status' | 'error';
  /** Added to every answer, beside its data. */
  warning: string | undefined;
  requests: ReceivedRequest[];
  /** The variables of each request. */
  variables(): Record<string, any>[]; // oxlint-disable-line typescript/no-explicit-any -- as they were sent
  /** How the next requests are answered instead. */
  next(...plans: AnswerPlan[]): void;
  /** Requests whose connection was closed before they were answered. */
  abandoned(): number;
  stop(): Promise<void>;
}

const schema = readSchema('./newrelic/nerdgraph.graphql', import.meta.url);
const OPT_IN = 'nerd-graph-unsafe-experimental-opt-in';

const refused = (message: string, errorClass: string): GraphQLError =>
  new GraphQLError(message, { extensions: { errorClass } });

export async function startNewRelicServer(): Promise<NewRelicServer> {
  const plans = planAnswers();
  const receiver = await startHttpReceiver((request, response) => {
    const send = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (plans.answer('', request, response)) return;
    if (request.path !== '/graphql' || request.method !== 'POST') return send(404, { error: 'Not found' });
    if (request.headers['content-type'] !== 'application/json') return send(415, {});
    if (request.headers['api-key'] !== server.apiKey) {
      const message = 'Unauthorized: Invalid API key';
      const error = { message, extensions: { error_code: 'BAD_API_KEY' } };
      return send(server.refuses === 'status' ? 401 : 200, { errors: [error] });
    }
    const warned = (result: ExecutionResult): object => ({
      ...result,
      ...(server.warning !== undefined && { errors: [...(result.errors ?? []), { message: server.warning }] }),
    });
    runGraphql(schema, request.body, { actor: actorOf(server, request) }).then(
      (result) => send(200, warned(result)),
      () => send(500, {}),
    );
  });

  const server: NewRelicServer = {
    url: receiver.url,
    apiKey: 'NRAK-0123456789ABCDEFGHIJKLMNOPQ',
    accounts: [],
    events: new Map(),
    entities: [],
    issues: [],
    pageSize: 200,
    refuses: 'status',
    warning: undefined,
    requests: receiver.requests,
    variables: () =>
      receiver.requests.map(({ body }) => (JSON.parse(body) as { variables: Record<string, unknown> }).variables),
    next: (...some) => plans.next('', ...some),
    abandoned: plans.abandoned,
    stop: receiver.stop,
  };
  return server;
}

interface Builder {
  name?: string;
  type?: string;
  domain?: string;
  alertSeverity?: string;
  tags?: { key: string; value: string }[];
}
interface Window {
  startTime: number;
  endTime: number;
}

function actorOf(server: NewRelicServer, { headers }: ReceivedRequest) {
  return {
    user: { email: 'ops@shop.example', id: 7, name: 'Ops' },
    accounts: server.accounts,
    entity: ({ guid }: { guid: string }) => {
      const found = server.entities.find((one) => one.guid === guid);
      return found && presentEntity(found, 'GenericEntity');
    },
    entitySearch({ query, queryBuilder }: { query?: string; queryBuilder?: Builder }) {
      if ((query === undefined) === (queryBuilder === undefined))
        throw refused('You must supply either a `query` OR a `queryBuilder` argument, not both.', 'INVALID_INPUT');
      const { name, type, domain, alertSeverity, tags = [] } = queryBuilder ?? {};
      const isIt = (one: FakeEntity): boolean =>
        (name === undefined || one.name.toLowerCase().includes(name.toLowerCase())) &&
        (type ?? one.type) === one.type &&
        (domain ?? one.domain) === one.domain &&
        (alertSeverity ?? one.alertSeverity) === one.alertSeverity &&
        tags.every(({ key, value }) => key === 'accountId' && value === String(one.accountId));
      const found = server.entities.filter(isIt);
      return {
        count: found.length,
        results({ cursor }: { cursor?: string | null }) {
          const { page, nextCursor } = pageOf(found, cursor, server.pageSize);
          return { nextCursor, entities: page.map((one) => presentEntity(one, 'GenericEntityOutline')) };
        },
      };
    },
    account({ id }: { id: number }) {
      const account = server.accounts.find((one) => one.id === id);
      if (!account) throw refused(`You do not have access to account ${id}`, 'ACCESS_DENIED');
      return { ...account, nrql: answerNrql(server, id), aiIssues: issuesOf(server, id, headers[OPT_IN]) };
    },
  };
}

const answerNrql =
  (server: NewRelicServer, id: number) =>
  ({ query }: { query: string }) => {
    try {
      const { results, types, facets } = runNrql(query, server.events.get(id) ?? {});
      return { results, metadata: { eventTypes: types, facets, messages: [] }, totalResult: null, otherResult: null };
    } catch (error) {
      if (error instanceof NrqlError)
        throw new GraphQLError(error.message, { extensions: { errorCode: 'NRDB:1100006' } });
      throw error;
    }
  };

function issuesOf(server: NewRelicServer, id: number, optedIn: string | undefined) {
  return {
    issues(query: { cursor?: string | null; filter?: { states?: string[] } | null; timeWindow?: Window }) {
      if (optedIn?.split(',').includes('AiIssues') !== true)
        throw refused(`Cannot query experimental field; send the header ${OPT_IN}: AiIssues`, 'INVALID_INPUT');
      const { startTime = 0, endTime = Number.MAX_SAFE_INTEGER } = query.timeWindow ?? {};
      const found = server.issues
        .filter(({ accountId }) => accountId === id)
        .filter(({ createdAt, closedAt = Number.MAX_SAFE_INTEGER }) => createdAt < endTime && closedAt >= startTime)
        .filter(({ state }) => query.filter?.states?.includes(state) ?? true);
      const { page, nextCursor } = pageOf(found, query.cursor, server.pageSize);
      return { issues: page, nextCursor };
    },
  };
}

function presentEntity({ goldenMetrics, ...entity }: FakeEntity, typeName: string) {
  return {
    __typename: typeName,
    ...entity,
    goldenMetrics: ({ timeWindow }: { timeWindow?: { since?: string; until?: string } }) => ({
      metrics: goldenMetrics.map(({ query, ...metric }) => ({
        ...metric,
        metricName: `newrelic.goldenmetrics.${metric.name}`,
        query: query(timeWindow?.since, timeWindow?.until),
      })),
    }),
  };
}

function pageOf<Item>(items: Item[], cursor: string | null | undefined, size: number) {
  const start = Number(cursor ?? 0);
  const end = start + size;
  return { page: items.slice(start, end), nextCursor: end < items.length ? String(end) : null };
}
