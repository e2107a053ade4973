/** Cloudflare's GraphQL Analytics API. Figures are estimates from samples, as Cloudflare gives them. */
import { z } from 'zod';
import type { OperationContext } from '../connector.ts';
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

export async function zoneAnalytics(api: Cloudflare, query: Window & { zone: string }, context: OperationContext) {
  const zone = await api.zoneId(query.zone, context);
  const { viewer } = await api.graphql(TRAFFIC, { zone, ...times(query), limit: query.limit }, traffic, context);
  const groups = viewer.zones[0]?.httpRequestsAdaptiveGroups ?? [];
  return { groups: groups.map(flat), truncated: groups.length >= query.limit };
}

export async function firewallEvents(api: Cloudflare, query: Window & { zone: string }, context: OperationContext) {
  const zone = await api.zoneId(query.zone, context);
  const { viewer } = await api.graphql(FIREWALL, { zone, ...times(query), limit: query.limit }, firewall, context);
  const events = viewer.zones[0]?.firewallEventsAdaptive ?? [];
  return { events, truncated: events.length >= query.limit };
}

export async function workerErrors(api: Cloudflare, query: Window, context: OperationContext) {
  const variables = { account: api.account, ...times(query), limit: query.limit };
  const { viewer } = await api.graphql(WORKERS, variables, workers, context);
  const groups = viewer.accounts[0]?.workersInvocationsAdaptive ?? [];
  return { scripts: groups.map(flat), truncated: groups.length >= query.limit };
}
