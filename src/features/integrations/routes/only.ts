/** What the families have in common of which a team has one integration: its status, and removing it. */
import type { z } from 'zod';
import { endpointFor, type Endpoint } from '../../../http/endpoint.ts';
import type { EntityManager } from '../../../db/orm.ts';
import type { IntegrationDeps } from '../deps.ts';
import type { FamilyName, Integration } from '../entities.ts';
import { families } from '../families.ts';
import { RemoveResponse, StatusResponse, type ConnectResponse } from '../schemas/shared.ts';
import { findOnly, removeOnly } from '../service.ts';
import { present, reading, serviceDeps, tags, writing } from './shared.ts';

const endpoint = endpointFor<IntegrationDeps>();

export interface Only {
  family: FamilyName;
  slug: string;
  /** In operation ids. */
  id: string;
  /** Of the paths. */
  prefix: string;
  /** The status under a schema name of its own. */
  status?: z.ZodType;
}

const textOf = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null;

/** `GET …/status` and `DELETE …/`. */
export function statusAndRemoval({
  family,
  slug,
  id,
  prefix,
  status = StatusResponse,
}: Only): Endpoint<IntegrationDeps>[] {
  const { vendor } = families[family];
  return [
    endpoint({
      method: 'get',
      path: `${prefix}/status`,
      operationId: `get${id}Status`,
      summary: `Get the state of the connection to ${vendor}`,
      tags,
      auth: reading,
      response: status,
      handler: async ({ em, deps: { integrations } }) => {
        const row = await findOnly(em, family, slug);
        return presentStatus(integrations, em, row);
      },
    }),
    endpoint({
      method: 'delete',
      path: `${prefix}/`,
      operationId: `remove${id}`,
      summary: `Remove the connection to ${vendor} and its credential`,
      description: 'The credential is revoked at the vendor too, if the vendor can.',
      tags,
      auth: writing,
      response: RemoveResponse,
      handler: async ({ em, principal, deps }) => ({
        removed: await removeOnly(serviceDeps(deps), em, principal, family, slug),
      }),
    }),
  ];
}

async function presentStatus(
  integrations: IntegrationDeps['integrations'],
  em: EntityManager,
  row: Integration | null,
): Promise<z.input<typeof StatusResponse>> {
  if (!row) {
    return {
      connected: false,
      status: 'not_connected',
      error: null,
      last_checked_at: null,
      default_account_id: null,
      region: null,
      tool_server: null,
      integration: null,
    };
  }
  const integration = await present(integrations, em, row);
  const { account_id, project_id, subscription_id, region } = row.settings;
  return {
    connected: row.enabled && row.status === 'connected',
    status: integration.status,
    error: integration.error,
    last_checked_at: integration.last_checked_at,
    default_account_id: textOf(account_id ?? project_id ?? subscription_id),
    region: textOf(region),
    tool_server: integration.tool_server,
    integration,
  };
}

/** The answer to a request that has connected a vendor. */
export async function presentConnected(
  integrations: IntegrationDeps['integrations'],
  em: EntityManager,
  row: Integration,
): Promise<z.input<typeof ConnectResponse>> {
  const integration = await present(integrations, em, row);
  return {
    status: row.status === 'connected' || row.status === 'select_account' ? row.status : 'failing',
    authorization_url: null,
    state: null,
    error: integration.error,
    integration,
  };
}
