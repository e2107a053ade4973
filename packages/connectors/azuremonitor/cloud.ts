/** Azure's APIs, with the tokens of a service principal: one for each API. */
import { QueryError, type Network, type OperationContext } from '../connector.ts';
import { createAccessTokens } from '../shared/access-tokens.ts';
import { createHttpApi, type HttpApi, type Query } from '../shared/http-api/index.ts';
import type { AzureMonitorConfig } from './config.ts';
import { explain } from './errors.ts';

export interface AzureCloud {
  readonly config: AzureMonitorConfig;
  readonly now: () => number;
  /** Azure Resource Manager, for people. */
  readonly place: string;
  /** Reads from Azure Resource Manager. @param path below the subscription */
  manage(
    path: readonly string[],
    query: Query & { 'api-version': string },
    context: OperationContext,
  ): Promise<unknown>;
  /** Runs a query in a Log Analytics workspace; by its API, it can only read. */
  queryLogs(workspace: string, body: { query: string; timespan: string }, context: OperationContext): Promise<unknown>;
  /** Proves the credential with a new token. */
  renewToken(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export function createAzureCloud(
  config: AzureMonitorConfig,
  { network, now = Date.now }: { network?: Network; now?: () => number },
): AzureCloud {
  const open = (name: string, configuredUrl: string) => {
    const url = configuredUrl.replace(/\/+$/u, '');
    const tokens = createAccessTokens({
      name: 'Microsoft Entra',
      url: `${config.authority_host.replace(/\/+$/u, '')}/${config.tenant_id}/oauth2/v2.0/token`,
      secrets: ['client_secret'],
      form: () => ({
        grant_type: 'client_credentials',
        client_id: config.client_id,
        client_secret: config.client_secret,
        scope: `${url}/.default`,
      }),
      network,
      now,
    });
    const authorize = async (signal: AbortSignal) => ({ authorization: `Bearer ${await tokens.get(signal)}` });
    return { tokens, http: createHttpApi({ url }, { name, errorMessage: explain, network, authorize }) };
  };
  const manager = open('Azure Resource Manager', config.resource_manager_url);
  const logs = open('Log Analytics', config.log_analytics_url);

  return {
    config,
    now,
    place: manager.http.place,
    manage: (path, query, context) =>
      manager.http.json({ path: ['subscriptions', config.subscription_id, ...path], query }, context),
    queryLogs: (workspace, body, context) =>
      logs.http.json({ path: ['v1', 'workspaces', workspace, 'query'], body }, context),
    async renewToken(signal) {
      await manager.tokens.renew(signal);
    },
    async close() {
      const parts: Pick<HttpApi, 'close'>[] = [manager.http, manager.tokens, logs.http, logs.tokens];
      await Promise.all(parts.map((part) => part.close()));
    },
  };
}

/** A text in OData. */
export const quote = (text: string): string => `'${text.toWellFormed().replaceAll("'", "''")}'`;

/**
 * The path of a resource below the subscription.
 * @throws {QueryError} when the id is not one, or is outside the subscription
 */
export function pathInSubscription(resourceId: string, subscription: string): string[] {
  const [empty, subscriptions = '', id = '', ...path] = resourceId.replace(/\/$/u, '').split('/');
  if (empty !== '' || subscriptions.toLowerCase() !== 'subscriptions' || path.length === 0)
    throw new QueryError(
      'bad_request',
      'resource_id must begin with /subscriptions/ID/, as in the answer of resources',
    );
  if (id.toLowerCase() !== subscription)
    throw new QueryError('bad_request', `the resource is not in the subscription ${subscription}`);
  if (path.some((segment) => !SEGMENT.test(segment) || /^\.+$/u.test(segment)))
    throw new QueryError('bad_request', 'resource_id has a part that no name can be');
  return path;
}

/** What servers may read as more than a name is in none. */
const SEGMENT = /^[^\p{Cc}/\\?#%&;<>"*:+|]+$/u;
