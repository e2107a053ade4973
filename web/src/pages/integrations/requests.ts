/** Requests whose path and body a form or a row knows as data. */
import { api, dataOf } from '../../api/client.ts';
import type { Schema } from '../../api/client.ts';
import type { Family, Integration } from './queries.ts';

/** What connecting may answer, whichever vendor it is. */
export interface ConnectAnswer {
  status?: string;
  authorization_url?: string | null;
  accounts?: { id: number; name: string }[];
  /** Of a code host. */
  webhook?: Schema<'CodeHostWebhook'>;
}

/** @param path of the vendor @param body as its form built it; the API says what is wrong with it */
export const connectVendor = (path: string, body: Record<string, unknown>): Promise<ConnectAnswer> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each vendor has a path and a body of its own
  dataOf<ConnectAnswer>(api.POST(path as '/api/onboarding/edge-a/connect', { body: body as never }));

/** Where a team may have several, each is changed and removed by its id. */
export const isOneOfMany = ({ family }: Pick<Integration, 'family'>): boolean =>
  family === 'sql-db' || family === 'analytics-db' || family === 'mcp';

type DatabasePath = '/api/onboarding/sql-db/integrations/{integration_id}';

const pathOf = ({ family }: Integration): DatabasePath =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the others have the same endpoints
  `${family === 'mcp' ? '/api/integrations/mcp' : `/api/onboarding/${family}/integrations`}/{integration_id}` as DatabasePath;

const params = ({ id }: Integration) => ({ path: { integration_id: id } });

export const testIntegration = (integration: Integration): Promise<Schema<'IntegrationTestResponse'>> =>
  dataOf(api.POST('/api/integrations/{integration_id}/test', { params: params(integration) }));

export const toggleIntegration = (integration: Integration): Promise<unknown> =>
  dataOf(
    api.POST('/api/integrations/{integration_id}/toggle', {
      params: params(integration),
      body: { enabled: !integration.enabled },
    }),
  );

/** @param changes as its form built them; the API says what is wrong with them */
export const saveIntegration = (integration: Integration, changes: Record<string, unknown>): Promise<unknown> =>
  dataOf(api.PUT(pathOf(integration), { params: params(integration), body: changes }));

/** One of many by its id; the only integration of another vendor by its family. */
export function removeIntegration(integration: Integration): Promise<unknown> {
  if (isOneOfMany(integration)) return dataOf(api.DELETE(pathOf(integration), { params: params(integration) }));
  const { family, source_id: source } = integration;
  if (family === 'codehost-b') return dataOf(api.DELETE('/api/codehost-b/'));
  if (family === 'github' || family === 'gitea')
    return dataOf(api.DELETE('/api/code-hosts/{integration_id}', { params: params(integration) }));
  const part = source.endsWith('-service-account') ? `${family}/sa` : family;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every such family is removed in the same way
  return dataOf(api.DELETE(`/api/onboarding/${part}/` as '/api/onboarding/edge-a/'));
}

/** Completes a connection whose credential sees several. @param id of an account or a project */
export function chooseAccount(family: Family, id: string): Promise<unknown> {
  if (family === 'apm-a') return dataOf(api.POST('/api/onboarding/apm-a/step2', { body: { account_id: Number(id) } }));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the official family has the same endpoint
  const path = `/api/onboarding/${family}/connect` as '/api/onboarding/cloud-b/connect';
  return dataOf(api.POST(path, { body: { project_id: id } })).then(({ status }) => {
    if (status === 'authorize') throw new Error('The consent was revoked meanwhile. Connect it again.');
  });
}

const CALLBACK = 'integration-callback';
const CALLBACKS = [
  '/api/onboarding/cloud-b/callback',
  '/api/onboarding/cloud-b-official/callback',
  '/api/integrations/mcp/callback',
  '/api/codehost-b/oauth/callback',
] as const;

/** Keeps for the way back from a vendor's page which one it was. @param path where connecting began */
export function rememberCallback(path: string): void {
  sessionStorage.setItem(CALLBACK, `${path.replace(/\/(?:connect|url)$/u, '')}/callback`);
}

/** Exchanges what the browser brought back. */
export async function finishConsent(brought: { code: string; state: string; iss?: string }): Promise<ConnectAnswer> {
  const path = CALLBACKS.find((known) => known === sessionStorage.getItem(CALLBACK));
  sessionStorage.removeItem(CALLBACK);
  if (path === undefined) throw new Error('This tab has not begun to connect anything. Connect it again.');
  return dataOf(api.POST(path, { body: brought }));
}
