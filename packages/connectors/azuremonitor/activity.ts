/** The activity log: who did what to which resource, and as changes. */
import { z } from 'zod';
import { defineOperation, QueryError, type ConnectorOperation, type OperationContext } from '../connector.ts';
import { parseAnswer } from '../shared/http-api/answers.ts';
import { toRfc3339, unixSeconds } from '../shared/http-api/parameters.ts';
import { pathInSubscription, quote, type AzureCloud } from './cloud.ts';
import { resourceGroup } from './resources.ts';

export const ACTIVITY_PATH = ['providers', 'Microsoft.Insights', 'eventtypes', 'management', 'values'];
export const ACTIVITY_API_VERSION = '2015-04-01';

const MAX_EVENTS = 1_000;
/** A page has some 200 events. */
const MAX_PAGES = 10;

const localized = z.object({ value: z.string().default(''), localizedValue: z.string().optional() });

/** The members that are read here; events have more. */
const event = z.looseObject({
  eventDataId: z.string().default(''),
  eventTimestamp: z.string(),
  operationName: localized.optional(),
  operationId: z.string().optional(),
  status: localized.optional(),
  resourceId: z.string().default(''),
  caller: z.string().optional(),
});
type ActivityEvent = z.output<typeof event>;
const page = z.object({ value: z.array(event), nextLink: z.string().nullish() });

/** Of the person or program: tokens' claims, addresses. Nothing about the change. */
const PERSONAL = ['claims', 'authorization', 'httpRequest'];

const onlyOne = {
  resource_group: resourceGroup.optional(),
  resource_id: z.string().min(1).max(2_000).optional(),
  resource_provider: z
    .string()
    .regex(/^[A-Za-z0-9]+(?:\.[A-Za-z0-9]+)+$/u, 'must be a provider such as Microsoft.Web')
    .max(200)
    .optional(),
  correlation_id: z.guid({ error: 'must be an id as in another event' }).optional(),
};

export function activityOperations(cloud: AzureCloud): ConnectorOperation[] {
  return [
    defineOperation({
      name: 'activity_log',
      description:
        'Events of the activity log in a half-open time range of the last 90 days, the newest first: operation, ' +
        'status, caller, resource, properties. Of the four filters, at most one.',
      tool: true,
      parameters: z.strictObject({
        start: unixSeconds,
        end: unixSeconds,
        ...onlyOne,
        limit: z.number().int().min(1).max(MAX_EVENTS).default(100),
      }),
      async run(query, context) {
        const filters = [
          query.resource_group !== undefined && `resourceGroupName eq ${quote(query.resource_group)}`,
          query.resource_id !== undefined && `resourceUri eq ${quote(idInSubscription(cloud, query.resource_id))}`,
          query.resource_provider !== undefined && `resourceProvider eq ${quote(query.resource_provider)}`,
          query.correlation_id !== undefined && `correlationId eq ${quote(query.correlation_id)}`,
        ].filter((filter) => filter !== false);
        if (filters.length > 1)
          throw new QueryError('bad_request', `at most one of: ${Object.keys(onlyOne).join(', ')}`);
        const { events, truncated } = await readEvents(
          cloud,
          { from: query.start, to: query.end, filter: filters[0], limit: query.limit },
          context,
        );
        const shown = events.map((each) =>
          Object.fromEntries(Object.entries(each).filter(([name]) => !PERSONAL.includes(name))),
        );
        return { events: shown, truncated };
      },
    }),
    defineOperation({
      name: 'changes',
      description: 'Resources written or deleted, in order of time, the newest if there are too many.',
      tool: false,
      parameters: z.strictObject({
        from: unixSeconds,
        to: unixSeconds,
        service: z.string().min(1).max(500).optional().describe('name of a resource, in any case'),
        limit: z.number().int().min(1).max(MAX_EVENTS).default(200),
      }),
      async run({ from, to, service, limit }, context) {
        const seen = new Set<string>();
        const counts = (each: ActivityEvent): boolean => {
          if (!isChange(each) || (service !== undefined && !isCalled(serviceOf(each), service))) return false;
          const { operationId, operationName, resourceId, eventDataId } = each;
          const key = `${operationId ?? eventDataId} ${operationName?.value} ${resourceId}`.toLowerCase();
          return !seen.has(key) && Boolean(seen.add(key));
        };
        const { events, truncated } = await readEvents(cloud, { from, to, limit, counts }, context);
        return { changes: events.map((each) => toChange(cloud, each)).toReversed(), truncated };
      },
    }),
  ];
}

interface EventQuery {
  from: number;
  to: number;
  /** A condition of the four that the log allows besides times. */
  filter?: string;
  limit: number;
  counts?: (event: ActivityEvent) => boolean;
}

/** The newest events first. @throws {QueryError} `too_large` when the first page is; later ones are left out */
async function readEvents(
  cloud: AzureCloud,
  { from, to, filter, limit, counts = () => true }: EventQuery,
  context: OperationContext,
): Promise<{ events: ActivityEvent[]; truncated: boolean }> {
  if (to <= from) throw new QueryError('bad_request', 'the time range ends before it starts');
  const times = [`eventTimestamp ge ${quote(toRfc3339(from))}`, `eventTimestamp le ${quote(toRfc3339(to))}`];
  const $filter = [...times, ...(filter === undefined ? [] : [filter])].join(' and ');
  const events: ActivityEvent[] = [];
  let maxBytes = context.maxBytes;
  let $skiptoken: string | undefined;
  for (let pages = 0; pages < MAX_PAGES && maxBytes > 0; pages += 1) {
    let answer: unknown;
    try {
      const query = { 'api-version': ACTIVITY_API_VERSION, $filter, $skiptoken };
      answer = await cloud.manage(ACTIVITY_PATH, query, { ...context, maxBytes });
    } catch (error) {
      if (pages === 0 || !(error instanceof QueryError) || error.code !== 'too_large') throw error;
      break;
    }
    const { value, nextLink } = parseAnswer(page, answer, cloud.place);
    events.push(...value.filter((each) => Date.parse(each.eventTimestamp) < to * 1000 && counts(each)));
    $skiptoken = skipToken(nextLink);
    if ($skiptoken === undefined) return { events: events.slice(0, limit), truncated: events.length > limit };
    if (events.length >= limit) break;
    maxBytes -= Buffer.byteLength(JSON.stringify(answer));
  }
  return { events: events.slice(0, limit), truncated: true };
}

/** Of the next page's URL only its token is used: requests go where the configuration says. */
function skipToken(nextLink: string | null | undefined): string | undefined {
  if (!nextLink) return undefined;
  return URL.parse(nextLink)?.searchParams.get('$skiptoken') ?? undefined;
}

function idInSubscription(cloud: AzureCloud, resourceId: string): string {
  const { subscription_id: subscription } = cloud.config;
  return `/subscriptions/${subscription}/${pathInSubscription(resourceId, subscription).join('/')}`;
}

function isChange({ status, operationName }: ActivityEvent): boolean {
  return status?.value === 'Succeeded' && /\/(?:write|delete)$/iu.test(operationName?.value ?? '');
}

const DEPLOYMENT = /^microsoft\.resources\/deployments\//iu;

/** The name of the resource that has a provider of its own; what is below it (slots, settings) belongs to it. */
function serviceOf({ resourceId, operationName }: ActivityEvent): string | undefined {
  if (DEPLOYMENT.test(operationName?.value ?? '')) return undefined;
  return /\/providers\/[^/]+\/[^/]+\/([^/]+)/iu.exec(resourceId)?.[1];
}

function isCalled(name: string | undefined, wanted: string): boolean {
  return name?.toLowerCase() === wanted.toLowerCase();
}

function toChange(cloud: AzureCloud, each: ActivityEvent) {
  const service = serviceOf(each);
  const operation = each.operationName?.value ?? '';
  const said = each.operationName?.localizedValue || operation;
  const resource = each.resourceId.replace(/^\/subscriptions\/[^/]+/iu, '') || 'the subscription';
  const url = portalUrl(cloud, each.resourceId);
  return {
    id: each.eventDataId,
    at: Date.parse(each.eventTimestamp) / 1000,
    ...(service !== undefined && { service }),
    kind: kindOf(operation),
    summary: `${said} on ${resource}`,
    ...(each.caller !== undefined && { author: each.caller }),
    ...(url !== undefined && { url }),
  };
}

const DEPLOYING =
  /^microsoft\.(?:resources\/deployments|app\/(?:containerapps|jobs)|web\/sites|web\/sites\/slots|containerservice\/managedclusters|containerinstance\/containergroups)\/write$/iu;

/** The common words of kinds of changes: deploy, scale, config, permission, delete. */
function kindOf(operation: string): string {
  if (/^microsoft\.authorization\//iu.test(operation)) return 'permission';
  if (/\/delete$/iu.test(operation)) return 'delete';
  if (/autoscale|agentpools|scale\/write$/iu.test(operation)) return 'scale';
  return DEPLOYING.test(operation) ? 'deploy' : 'config';
}

/** The portal of each cloud, by the host of its Resource Manager. */
const PORTALS: Record<string, string> = {
  'management.azure.com': 'portal.azure.com',
  'management.usgovcloudapi.net': 'portal.azure.us',
  'management.chinacloudapi.cn': 'portal.azure.cn',
};

/** The resource's activity log in the portal; undefined where the portal is unknown. */
function portalUrl({ config }: AzureCloud, resourceId: string): string | undefined {
  const portal = PORTALS[new URL(config.resource_manager_url).hostname];
  if (portal === undefined || resourceId === '') return undefined;
  return new URL(`https://${portal}/#@${config.tenant_id}/resource${encodeURI(resourceId)}/eventlogs`).href;
}
