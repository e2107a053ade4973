/** Cloudflare's GraphQL Analytics API. Figures are estimates from samples, as Cloudflare gives them. */
import { z } from 'zod';
import { QueryError, type OperationContext } from '../connector.ts';
import { toRfc3339 } from '../shared/http-api/parameters.ts';
import type { Cloudflare } from './api.ts';

interface Window {
  from: number;
  to: number;
  limit: number;
}

const group = z.record(z.string(), z.unknown());

const TRAFFIC = `query ($zone: string!, $from: Time!, $to: Time!, $limit: uint64!) { viewer { zones(filter: { zoneTag: $zone }) {
  httpRequestsAdaptiveGroups(limit: $limit, filter: { datetime_geq: $from, datetime_lt: $to }, orderBy: [datetimeFiveMinutes_ASC]) {
    count sum { edgeResponseBytes visits }
    quantiles { edgeTimeToFirstByteMsP50 edgeTimeToFirstByteMsP95 originResponseDurationMsP50 originResponseDurationMsP95 }
    dimensions { datetimeFiveMinutes edgeResponseStatus cacheStatus } } } } }`;
const FIREWALL = `query ($zone: string!, $from: Time!, $to: Time!, $limit: uint64!) { viewer { zones(filter: { zoneTag: $zone }) {
  firewallEventsAdaptive(limit: $limit, filter: { datetime_geq: $from, datetime_lt: $to }, orderBy: [datetime_DESC]) {
    action datetime source ruleId rayName clientCountryName clientASNDescription clientRequestHTTPHost
    clientRequestHTTPMethodName clientRequestPath edgeResponseStatus userAgent } } } }`;
const WORKERS = `query ($account: string!, $from: Time!, $to: Time!, $limit: uint64!) { viewer { accounts(filter: { accountTag: $account }) {
  workersInvocationsAdaptive(limit: $limit, filter: { datetime_geq: $from, datetime_lt: $to }) {
    sum { requests errors subrequests } quantiles { cpuTimeP50 cpuTimeP99 } dimensions { scriptName status } } } } }`;

const zones = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object({ viewer: z.object({ zones: z.array(z.object(shape)) }) });
const traffic = zones({ httpRequestsAdaptiveGroups: z.array(group) });
const firewall = zones({ firewallEventsAdaptive: z.array(group) });
const workers = z.object({
  viewer: z.object({ accounts: z.array(z.object({ workersInvocationsAdaptive: z.array(group) })) }),
});

const times = ({ from, to }: Window) => ({ from: toRfc3339(from), to: toRfc3339(to) });

/** `{count, sum: {a}, dimensions: {b}}` as `{b, count, a}`: one record for each group. */
function flat({ dimensions, sum, quantiles, ...rest }: z.output<typeof group>): Record<string, unknown> {
  return { ...asRecord(dimensions), ...rest, ...asRecord(sum), ...asRecord(quantiles) };
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** What the answer says of fields that the zone's plan lacks. */
const lacked = (fields: string[]) => (fields.length > 0 ? { not_in_plan: fields } : {});

export async function zoneAnalytics(api: Cloudflare, query: Window & { zone: string }, context: OperationContext) {
  const zone = await api.zoneId(query.zone, context);
  const variables = { zone, ...times(query), limit: query.limit };
  const { data, lacking } = await api.graphql(TRAFFIC, variables, traffic, context, 'Zone Analytics, Read');
  const groups = seen(data.viewer.zones).httpRequestsAdaptiveGroups;
  return { groups: groups.map(flat), truncated: groups.length >= query.limit, ...lacked(lacking) };
}

export async function firewallEvents(api: Cloudflare, query: Window & { zone: string }, context: OperationContext) {
  const zone = await api.zoneId(query.zone, context);
  const variables = { zone, ...times(query), limit: query.limit };
  const permission = 'Zone Analytics, Read, and Firewall Services, Read';
  const { data, lacking } = await api.graphql(FIREWALL, variables, firewall, context, permission);
  const events = seen(data.viewer.zones).firewallEventsAdaptive;
  return { events, truncated: events.length >= query.limit, ...lacked(lacking) };
}

export async function workerErrors(api: Cloudflare, query: Window, context: OperationContext) {
  const variables = { account: api.account, ...times(query), limit: query.limit };
  const { data } = await api.graphql(WORKERS, variables, workers, context, 'Account Analytics, Read');
  const groups = seen(data.viewer.accounts).workersInvocationsAdaptive;
  return { scripts: groups.map(flat), truncated: groups.length >= query.limit };
}

/** The only one that was asked for. Of one that the token does not see, Cloudflare says nothing: no one, and no error. */
function seen<One>([one]: One[]): One {
  if (one === undefined) throw new QueryError('not_found', 'The token does not see the analytics of this.');
  return one;
}
