/** What is asked of NerdGraph. */
import { z } from 'zod';
import { QueryError, type OperationContext } from '../connector.ts';
import type { NerdGraph } from './nerdgraph.ts';

interface Window {
  from: number;
  to: number;
}

const NRQL = `query ($account: Int!, $query: Nrql!, $timeout: Seconds) { actor { account(id: $account) {
  nrql(query: $query, timeout: $timeout) { results metadata { eventTypes facets messages } totalResult otherResult } } } }`;

const row = z.record(z.string(), z.unknown());
const nrqlAnswer = z.object({
  actor: z.object({
    account: z.object({
      nrql: z
        .object({
          results: z.array(row).nullable(),
          metadata: z
            .object({ messages: z.array(z.string()).nullish() })
            .loose()
            .nullish(),
          totalResult: z.unknown(),
          otherResult: z.unknown(),
        })
        .nullable(),
    }),
  }),
});

/** New Relic's own limit of a synchronous query, in seconds. */
const MAX_SECONDS = 70;
const READS = /^(?:select|from|show|with)\b/iu;

/** @throws {QueryError} `bad_request` with New Relic's words */
export async function runNrql(graph: NerdGraph, query: string, context: OperationContext) {
  if (!READS.test(query)) throw new QueryError('bad_request', 'NRQL begins with SELECT, FROM, WITH or SHOW.');
  const timeout = Math.max(1, Math.min(MAX_SECONDS, Math.floor((context.remainingMs ?? 30_000) / 1_000)));
  const variables = { account: graph.account, query, timeout };
  const { nrql } = (await graph.ask(NRQL, variables, nrqlAnswer, context)).actor.account;
  return {
    results: nrql?.results ?? [],
    messages: nrql?.metadata?.messages ?? [],
    ...(nrql?.totalResult != null && { total: nrql.totalResult }),
    ...(nrql?.otherResult != null && { other: nrql.otherResult }),
  };
}

const ENTITIES = `query ($by: EntitySearchQueryBuilder!, $cursor: String) { actor { entitySearch(queryBuilder: $by) { count
  results(cursor: $cursor) { nextCursor entities { guid name domain type alertSeverity reporting accountId } } } } }`;

const entity = z.object({
  guid: z.string(),
  name: z.string().nullable(),
  domain: z.string().nullish(),
  type: z.string().nullish(),
  alertSeverity: z.string().nullish(),
  reporting: z.boolean().nullish(),
  accountId: z.number().nullish(),
});
const entitiesAnswer = z.object({
  actor: z.object({
    entitySearch: z
      .object({
        count: z.number().nullish(),
        results: z.object({ nextCursor: z.string().nullable(), entities: z.array(entity).nullable() }).nullable(),
      })
      .nullable(),
  }),
});

const MAX_PAGES = 5;

/** What the search takes as a domain and as a type; entities of other types are told apart here. */
export const DOMAINS = ['APM', 'BROWSER', 'EXT', 'INFRA', 'MOBILE', 'SYNTH'] as const;
const TYPES: ReadonlySet<string> = new Set([
  'APPLICATION',
  'DASHBOARD',
  'HOST',
  'MONITOR',
  'SERVICE_LEVEL',
  'WORKLOAD',
]);

interface EntityQuery {
  name?: string | undefined;
  type?: string | undefined;
  domain?: (typeof DOMAINS)[number] | undefined;
  alert_severity?: string | undefined;
  limit: number;
}

/** Entities of the account: without the tag that each has, a search sees every account of the key. */
export async function searchEntities(graph: NerdGraph, query: EntityQuery, context: OperationContext) {
  const { name, domain, alert_severity: alertSeverity, limit } = query;
  const type = query.type?.toUpperCase();
  const by = {
    tags: [{ key: 'accountId', value: String(graph.account) }],
    ...(name !== undefined && { name }),
    ...(type !== undefined && TYPES.has(type) && { type }),
    ...(domain !== undefined && { domain }),
    ...(alertSeverity !== undefined && { alertSeverity }),
  };
  const found: z.output<typeof entity>[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES && found.length < limit; page++) {
    const answer: z.output<typeof entitiesAnswer> = await graph.ask(ENTITIES, { by, cursor }, entitiesAnswer, context);
    const results = answer.actor.entitySearch?.results;
    const isWanted = (one: z.output<typeof entity>): boolean =>
      one.accountId === graph.account && (type === undefined || one.type === type);
    found.push(...(results?.entities ?? []).filter(isWanted));
    cursor = results?.nextCursor ?? null;
    if (cursor === null) break;
  }
  return { entities: found.slice(0, limit), truncated: found.length > limit || cursor !== null };
}

/** Services of APM, and those that report by OpenTelemetry. */
export async function servicesOf(graph: NerdGraph, context: OperationContext): Promise<{ name: string }[]> {
  const pages = await Promise.all(
    (['APM', 'EXT'] as const).map((domain) => searchEntities(graph, { domain, limit: 1_000 }, context)),
  );
  const names = pages
    .flatMap(({ entities }) => entities)
    .filter(({ type }) => type === 'APPLICATION' || type === 'SERVICE')
    .flatMap(({ name }) => name ?? []);
  return [...new Set(names)].sort().map((name) => ({ name }));
}

const GOLDEN = `query ($guid: EntityGuid!, $window: EntityGoldenNrqlTimeWindowInput) { actor { entity(guid: $guid) { name accountId
  goldenMetrics(timeWindow: $window) { metrics { name title unit query } } } } }`;
const golden = z.object({
  actor: z.object({
    entity: z
      .object({
        name: z.string().nullable(),
        accountId: z.number().nullish(),
        goldenMetrics: z
          .object({
            metrics: z.array(
              z.object({
                name: z.string(),
                title: z.string().nullish(),
                unit: z.string().nullish(),
                query: z.string(),
              }),
            ),
          })
          .nullish(),
      })
      .nullable(),
  }),
});

/** Each metric by New Relic's own query, over the window. */
export async function goldenMetrics(
  graph: NerdGraph,
  { guid, from, to }: Window & { guid: string },
  context: OperationContext,
) {
  const window = { since: String(Math.round(from * 1_000)), until: String(Math.round(to * 1_000)) };
  const { entity: found } = (await graph.ask(GOLDEN, { guid, window }, golden, context)).actor;
  if (!found || (found.accountId != null && found.accountId !== graph.account))
    throw new QueryError('not_found', 'There is no such entity in the account; search_entities finds guids.');
  const metrics = await Promise.all(
    (found.goldenMetrics?.metrics ?? []).map(async ({ name, title, unit, query }) => {
      const asked = asSeries(query, { from, to });
      const { results, messages } = await runNrql(graph, asked, context);
      return { name, title, unit, query: asked, points: results, ...(messages.length > 0 && { messages }) };
    }),
  );
  return { entity: found.name, metrics };
}

/** Some of New Relic's own queries are over a window or a time series already, and none may say so twice. */
function asSeries(query: string, window: Window): string {
  const words = query.replaceAll(/'(?:[^'\\]|\\.)*'/gsu, "''");
  const clauses = [/\bsince\b/iu.test(words) ? '' : during(window), /\btimeseries\b/iu.test(words) ? '' : 'TIMESERIES'];
  return [query.trim(), ...clauses].filter((part) => part !== '').join(' ');
}

const ISSUES = `query ($account: Int!, $filter: AiIssuesFilterIssues, $window: TimeWindowInput, $cursor: String) {
  actor { account(id: $account) { aiIssues { issues(filter: $filter, timeWindow: $window, cursor: $cursor) { nextCursor
  issues { issueId title priority state entityNames createdAt closedAt totalIncidents } } } } } }`;
const issue = z.object({
  issueId: z.string(),
  title: z.array(z.string()).or(z.string()).nullish(),
  priority: z.string().nullish(),
  state: z.string().nullish(),
  entityNames: z.array(z.string()).nullish(),
  createdAt: z.number().nullish(),
  closedAt: z.number().nullish(),
  totalIncidents: z.number().nullish(),
});
const issuesAnswer = z.object({
  actor: z.object({
    account: z.object({
      aiIssues: z
        .object({
          issues: z.object({ nextCursor: z.string().nullish(), issues: z.array(issue).nullable() }).nullable(),
        })
        .nullable(),
    }),
  }),
});

export async function issuesIn(
  graph: NerdGraph,
  { from, to, state }: Window & { state?: string | undefined },
  context: OperationContext,
) {
  const variables = {
    account: graph.account,
    filter: state === undefined ? null : { states: [state] },
    window: { startTime: Math.round(from * 1_000), endTime: Math.round(to * 1_000) },
    cursor: null,
  };
  const { aiIssues } = (await graph.ask(ISSUES, variables, issuesAnswer, context)).actor.account;
  const page = aiIssues?.issues;
  return {
    issues: (page?.issues ?? []).map(({ issueId, title, createdAt, closedAt, ...rest }) => ({
      id: issueId,
      title: [title ?? []].flat().join('; '),
      ...rest,
      opened_at: iso(createdAt),
      closed_at: iso(closedAt),
    })),
    truncated: page?.nextCursor != null,
  };
}

const iso = (ms: number | null | undefined): string | null => (ms == null ? null : new Date(ms).toISOString());

/** Tracked changes are events: `Deployment`, and `ChangeTrackingEvent` of the newer API. */
export async function changesIn(
  graph: NerdGraph,
  { from, to, service, limit }: Window & { service?: string | undefined; limit: number },
  context: OperationContext,
) {
  const of = service === undefined ? '' : ` WHERE entity.name = ${quoted(service)}`;
  const query = `SELECT * FROM Deployment, ChangeTrackingEvent${of} ${during({ from, to })} LIMIT ${limit + 1}`;
  const { results } = await runNrql(graph, query, context);
  const changes = results
    .slice(0, limit)
    .map((event) => {
      const text = (...names: string[]): string | undefined => {
        const value = names.map((name) => event[name]).find((one) => typeof one === 'string' && one !== '');
        return typeof value === 'string' ? value : undefined;
      };
      const [version, description, commit] = [text('version'), text('shortDescription', 'description'), text('commit')];
      const at = Number(event['timestamp']) / 1_000;
      const said = [version && `version ${version}`, description, commit && `commit ${commit}`]
        .filter(Boolean)
        .join(', ');
      return {
        id: text('deploymentId', 'changeTrackingId', 'id') ?? `${at}/${text('entity.guid') ?? ''}`,
        at,
        service: text('entity.name', 'entityName'),
        kind: kindOf(text('category')),
        summary: said === '' ? 'no description' : said,
        author: text('user'),
        url: text('deepLink'),
      };
    })
    .filter(({ at }) => Number.isFinite(at))
    .sort((a, b) => a.at - b.at);
  return { changes, truncated: results.length > limit };
}

/** A category such as `Feature Flag`; events of the older API are deployments, and have none. */
const kindOf = (category = 'Deployment'): string =>
  category === 'Deployment' ? 'deploy' : category.toLowerCase().replaceAll(/\W+/gu, '_');

const LEVELS = {
  error: ['error', 'fatal', 'critical'],
  warn: ['warn', 'warning'],
  info: ['info'],
  debug: ['debug', 'trace'],
} as const;

interface LogQuery extends Window {
  service?: string | undefined;
  text?: string | undefined;
  level?: keyof typeof LEVELS | undefined;
  limit: number;
}

export async function searchLogs(
  graph: NerdGraph,
  { from, to, service, text, level, limit }: LogQuery,
  context: OperationContext,
) {
  const where = [
    service !== undefined && `(service.name = ${quoted(service)} OR entity.name = ${quoted(service)})`,
    text !== undefined && text !== '' && `lower(message) LIKE ${quoted(`%${text.toLowerCase()}%`)}`,
    level !== undefined && `lower(level) IN (${LEVELS[level].map(quoted).join(', ')})`,
  ].filter((part) => part !== false);
  const query = `SELECT timestamp, message, level, service.name, entity.name FROM Log${where.length > 0 ? ` WHERE ${where.join(' AND ')}` : ''} ${during({ from, to })} ORDER BY timestamp DESC LIMIT ${limit + 1}`;
  const { results } = await runNrql(graph, query, context);
  const holds = ({ message }: (typeof results)[number]): boolean =>
    text?.includes('%') !== true || String(message).toLowerCase().includes(text.toLowerCase());
  // LIKE has no escape for its wildcard, so that a percent sign finds too much.
  const lines = results
    .slice(0, limit)
    .filter(holds)
    .map((event) => {
      const known = event['service.name'] ?? event['entity.name'];
      return {
        at: Number(event['timestamp']) / 1_000,
        service: typeof known === 'string' ? known : '',
        message: typeof event['message'] === 'string' ? event['message'] : '',
        ...(typeof event['level'] === 'string' && { level: event['level'] }),
      };
    });
  return { lines: lines.toReversed(), truncated: results.length > limit };
}

const during = ({ from, to }: Window): string => `SINCE ${Math.round(from * 1_000)} UNTIL ${Math.round(to * 1_000)}`;

/** A string of NRQL: single quotes, in which a backslash escapes a quote and itself. */
export const quoted = (text: string): string =>
  `'${text
    .toWellFormed()
    .replaceAll('\\', '\\\\')
    .replaceAll("'", String.raw`\'`)}'`;
