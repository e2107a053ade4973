/** Tests the connection to a subscription: the service principal, the subscription, and what it may read. */
import { z } from 'zod';
import {
  connectionTest,
  defineOperation,
  QueryError,
  TEST_CONNECTION,
  type ConnectionTest,
  type ConnectorOperation,
  type OperationContext,
} from '../connector.ts';
import { TokenRefused } from '../shared/access-tokens.ts';
import { parseAnswer } from '../shared/http-api/answers.ts';
import { RefusedRequest } from '../shared/http-api/index.ts';
import { toRfc3339 } from '../shared/http-api/parameters.ts';
import { ACTIVITY_API_VERSION, ACTIVITY_PATH } from './activity.ts';
import { quote, type AzureCloud } from './cloud.ts';
import { codeOf } from './errors.ts';

const API_VERSION = '2022-12-01';
/** How far back a probe looks: it asks for permission, not for data. */
const PROBED_SECONDS = 300;
const MAX_PROBE_BYTES = 1024 * 1024;

const subscription = z.object({ displayName: z.string().default(''), state: z.string().optional() });

/** Which setting the numbers of Microsoft Entra's errors (AADSTS…) are about. */
const FIELD_OF_NUMBER: Record<number, string> = {
  90002: 'tenant_id',
  900023: 'tenant_id',
  700016: 'client_id',
  7000112: 'client_id',
  7000215: 'client_secret',
  7000222: 'client_secret',
};

/** The same of Azure's codes. */
const FIELD_OF_CODE: Record<string, string> = {
  SubscriptionNotFound: 'subscription_id',
  InvalidSubscriptionId: 'subscription_id',
  InvalidAuthenticationTokenTenant: 'tenant_id',
  WorkspaceNotFoundError: 'workspace_id',
  PathNotFoundError: 'workspace_id',
};

/** Reads the subscription. @throws {QueryError} when it cannot */
export async function readSubscription(cloud: AzureCloud, signal: AbortSignal): Promise<z.output<typeof subscription>> {
  const context = { signal, maxBytes: MAX_PROBE_BYTES };
  return parseAnswer(subscription, await cloud.manage([], { 'api-version': API_VERSION }, context), cloud.place);
}

export function connectionOperation(cloud: AzureCloud): ConnectorOperation {
  return defineOperation({
    name: TEST_CONNECTION,
    description: 'Whether the service principal is accepted, and what it may read.',
    tool: false,
    parameters: z.strictObject({}),
    async run(_, { signal }: OperationContext) {
      const startedAt = performance.now();
      const found = await testConnection(cloud, signal);
      return connectionTest.parse({ ...found, latencyMs: performance.now() - startedAt });
    },
  });
}

type Found = Pick<ConnectionTest, 'status' | 'field' | 'message'> & Partial<ConnectionTest>;

async function testConnection(cloud: AzureCloud, signal: AbortSignal): Promise<Found> {
  const { subscription_id: id, workspace_id: workspace } = cloud.config;
  const context = { signal, maxBytes: MAX_PROBE_BYTES };
  const end = cloud.now() / 1000;
  const [from, to] = [toRfc3339(end - PROBED_SECONDS), toRfc3339(end)];
  let read: z.output<typeof subscription>;
  try {
    await cloud.renewToken(signal);
    read = await readSubscription(cloud, signal);
    if (workspace !== undefined)
      await cloud.queryLogs(workspace, { query: 'print 1', timespan: `${from}/${to}` }, context);
  } catch (error) {
    signal.throwIfAborted();
    return failed(error);
  }
  const name = read.displayName || id;
  const warnings: string[] = [];
  if (read.state !== undefined && !['Enabled', 'Warned'].includes(read.state))
    warnings.push(`The subscription is ${read.state}.`);
  try {
    const $filter = `eventTimestamp ge ${quote(from)} and eventTimestamp le ${quote(to)}`;
    await cloud.manage(ACTIVITY_PATH, { 'api-version': ACTIVITY_API_VERSION, $filter }, context);
  } catch (error) {
    signal.throwIfAborted();
    // Many events are an answer too.
    if (!(error instanceof QueryError && error.code === 'too_large'))
      warnings.push(`The activity log cannot be read, so there are no changes. ${failed(error).message}`);
  }
  if (workspace === undefined) warnings.push('No workspace_id is set: every query of logs has to name its workspace.');
  return {
    status: 'ok',
    message: `Subscription ${name} can be read${workspace === undefined ? '' : ', and so can the workspace'}.`,
    warnings,
    resources: [{ id, name }],
  };
}

function failed(error: unknown): Found {
  const message = error instanceof QueryError ? error.message : 'an unexpected answer';
  if (error instanceof TokenRefused) {
    const field = error.numbers.map((number) => FIELD_OF_NUMBER[number]).find((name) => name !== undefined);
    return { status: 'refused', ...(field !== undefined && { field }), message };
  }
  const code = codeOf(error);
  const field = code === undefined ? undefined : FIELD_OF_CODE[code];
  if (field !== undefined) return { status: 'refused', field, message };
  // No setting is wrong, but a role is missing, or a policy is in the way.
  const isRefused = code !== undefined && error instanceof RefusedRequest && [401, 403].includes(error.status);
  return { status: isRefused ? 'refused' : 'unreachable', message };
}
